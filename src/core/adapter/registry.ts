import { flowError } from '../errors/flow-error';
import type { AdapterDefinition, ByKind, Kind } from './definition';

/** Every adapter that there is, by kind and code. Built once at start, never changed afterwards. */
export class Registry {
    private readonly known: ReadonlyMap<string, AdapterDefinition>;

    private constructor(private readonly definitions: readonly AdapterDefinition[]) {
        const known = new Map<string, AdapterDefinition>();
        for (const definition of definitions) {
            for (const code of [definition.code, ...(definition.aliases ?? [])]) {
                const key = `${definition.kind} ${code}`;
                if (known.has(key)) throw flowError('ADAPTER_DUPLICATE', { kind: definition.kind, code });
                known.set(key, definition);
            }
        }
        this.known = known;
    }

    /** Throws ADAPTER_DUPLICATE when a code or alias comes twice within a kind. */
    static of(...groups: ReadonlyArray<readonly AdapterDefinition[]>): Registry {
        return new Registry(groups.flat());
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
    hint(kind: Kind, code: string): string {
        const codes = this.list(kind).map(definition => definition.code);
        const near = codes.filter(known => distance(known.toLowerCase(), code.toLowerCase()) <= Math.max(1, Math.min(known.length, code.length) / 3));
        return near.length > 0 ? `Did you mean ${near.map(c => `"${c}"`).join(' or ')}?` : `Known: ${codes.join(', ')}.`;
    }
}

/** Levenshtein distance: how many letters to change, add or leave out. */
function distance(a: string, b: string): number {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++) {
            next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
        }
        row = next;
    }
    return row[b.length]!;
}
