import { didYouMean } from '../data/similar-words';
import { flowError } from '../errors/flow-error';
import { factText, type FactText } from '../errors/rendered';
import { secretFieldsOf } from '../schema/references';
import type { AdapterDefinition, ByKind, Kind } from './definition';

/** Adapters and their origin, for the message about a duplicate code: `connector "pim"`. */
interface AdapterGroup {
    readonly from: string;
    readonly adapters: readonly AdapterDefinition[];
    /** Users do not write their codes, so no message names them. */
    readonly isInternal?: boolean;
}

/** Every adapter that there is, by kind and code. Never changed; one with more adapters is another registry. */
export class Registry {
    /** All of them, in the order in which they were registered. */
    readonly definitions: readonly AdapterDefinition[];
    private readonly known: ReadonlyMap<string, AdapterDefinition>;
    private readonly internal: ReadonlySet<AdapterDefinition>;

    private constructor(groups: readonly AdapterGroup[]) {
        const known = new Map<string, AdapterDefinition>();
        const origins = new Map<string, string>();
        for (const { from, adapters } of groups) {
            for (const definition of adapters) {
                checkSecretUses(definition);
                for (const code of [definition.code, ...(definition.aliases ?? [])]) {
                    const key = `${definition.kind} ${code}`;
                    const other = origins.get(key);
                    if (other !== undefined) {
                        const where =
                            other === from ? `both are from ${from}` : `one is from ${other}, one from ${from}`;
                        throw flowError('ADAPTER_DUPLICATE', { kind: definition.kind, code, where });
                    }
                    known.set(key, definition);
                    origins.set(key, from);
                }
            }
        }
        this.definitions = groups.flatMap(({ adapters }) => adapters);
        this.known = known;
        this.internal = new Set(groups.flatMap(({ adapters, isInternal }) => (isInternal ? adapters : [])));
    }

    /**
     * Throws ADAPTER_DUPLICATE if two adapters of a kind have the same code or alias, and ADAPTER_REFUSED for an
     * adapter that hides where it sends secrets.
     */
    static of(...groups: ReadonlyArray<readonly AdapterDefinition[]>): Registry {
        return new Registry(groups.map((adapters, i) => ({ from: `list ${i + 1}`, adapters })));
    }

    /** Like `of`, with names for the origins of the adapters. */
    static from(groups: readonly AdapterGroup[]): Registry {
        return new Registry(groups);
    }

    /** A registry with additional adapters. `from` names their origin. */
    plus(adapters: readonly AdapterDefinition[], from = 'what was added'): Registry {
        return new Registry([
            { from: 'the registry', adapters: this.definitions },
            { from, adapters },
        ]);
    }

    /** The same with some that Flow alone puts into definitions. */
    withInternal(adapters: readonly AdapterDefinition[]): Registry {
        return new Registry([
            { from: 'the registry', adapters: this.definitions },
            { from: 'Flow itself', adapters, isInternal: true },
        ]);
    }

    /** The same with others in the place of some, of the same kind and code. */
    with(replaced: (adapter: AdapterDefinition) => AdapterDefinition): Registry {
        return new Registry([{ from: 'the registry', adapters: this.definitions.map(replaced) }]);
    }

    find<K extends Kind>(kind: K, code: string): ByKind[K] | undefined {
        return this.known.get(`${kind} ${code}`) as ByKind[K] | undefined;
    }

    /** Throws ADAPTER_NOT_FOUND, which names the near codes. */
    get<K extends Kind>(kind: K, code: string): ByKind[K] {
        const found = this.find(kind, code);
        if (!found) throw flowError('ADAPTER_NOT_FOUND', { kind, code, hint: this.hint(kind, code) });
        return found;
    }

    list<K extends Kind>(kind: K): ReadonlyArray<ByKind[K]> {
        return this.definitions.filter(definition => definition.kind === kind) as unknown as ReadonlyArray<ByKind[K]>;
    }

    /** "Did you mean …" for an unknown code, else all the known ones. */
    hint(kind: Kind, code: string): FactText {
        const told = this.definitions.filter(definition => definition.kind === kind && !this.internal.has(definition));
        const codes = told.map(definition => definition.code);
        if (codes.length === 0) return factText('There is none of them yet.');
        return didYouMean(code, codes) ?? factText('Known: {known}.', { known: codes.join(', ') });
    }
}

/** Found to take no secrets: a registry with more adapters checks the others alone. */
const checked = new WeakSet<AdapterDefinition>();

/** Throws ADAPTER_REFUSED for an adapter that takes secrets and does not declare where it sends them. */
function checkSecretUses(definition: AdapterDefinition): void {
    if (definition.secretUses || checked.has(definition)) return;
    const { kind, code, config } = definition;
    const fields = secretFieldsOf(config);
    if (fields.length === 0) return void checked.add(definition);
    throw flowError('ADAPTER_REFUSED', {
        problem: `the ${kind} "${code}" has fields for secrets (${fields.join(', ')}) and no secretUses, which says where they are sent`,
    });
}
