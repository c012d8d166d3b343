import type { ID, RequestContext } from '@vendure/core';
import type { Change } from '../../core/adapter/loader';
import { canonicalJson, type JsonValue } from '../../core/value/json';
import { Columns } from '../entities/columns';
import { Diff } from '../entities/diff';
import { type RecordIssues, quoted } from '../entities/record-issues';
import { type Strategy, strategyProblem } from '../entities/load-arguments';
import { requireCustom } from '../entities/plan-custom';
import type { PlannedState } from './planned-state';
import type { ServiceRecord } from './read-service-record';
import type { ServiceChannels } from './service-channels';
import type { RecordNames } from './service-config';
import type { EntityService, ServiceEntity, Values } from './service-entity';
import type { ServiceOperations } from './service-operations';
import { type ServiceStore, type StoredEntity, textPath } from './service-store';

interface Planning {
    readonly entity: ServiceEntity;
    readonly service: EntityService;
    readonly store: ServiceStore;
    readonly operations: ServiceOperations;
    readonly names: RecordNames;
    readonly strategy: Strategy;
    /** The language of the texts at the top level. */
    readonly language: string;
    readonly channels: ServiceChannels | undefined;
}

/** A record, and its existing entity. */
export interface RequestedRecord {
    readonly ctx: RequestContext;
    readonly key: string;
    readonly faults: RecordIssues;
    readonly stored: StoredEntity | undefined;
    readonly planned: PlannedState | undefined;
}

/** The decision about a record: the change, and the service calls for it. */
export interface ServiceDecision {
    readonly change: Change;
    readonly id: ID | undefined;
    readonly values: Columns;
    /** Makes one call after another; each result may be an error result. */
    ask(ctx: RequestContext): AsyncIterable<unknown>;
}

/** Plans entities of one kind: compares them with the existing ones, and checks them. */
export class ServicePlan {
    constructor(private readonly planning: Planning) {}

    async remove(requested: RequestedRecord): Promise<ServiceDecision> {
        const { stored, key } = requested;
        const { service, entity, operations } = this.planning;
        if (!stored)
            return { change: { action: 'unchanged', key }, id: undefined, values: new Columns({}), ask: nothing };
        const { id, values } = stored;
        await this.check(requested, { values, isDelete: true });
        const before = Object.entries(values.values).filter(
            ([path]) => path in entity.fields || path.startsWith('translations.'),
        );
        const [readable] = await operations.readable(requested.ctx, [Object.fromEntries(before)]);
        return {
            change: { action: 'delete', key, before: readable! },
            id,
            values,
            async *ask(ctx) {
                yield await service.remove(ctx, id!);
            },
        };
    }

    async upsert(requested: RequestedRecord, read: ServiceRecord): Promise<ServiceDecision | undefined> {
        const { stored, key, faults: issues } = requested;
        const { entity, names, strategy } = this.planning;
        const problem = strategyProblem(strategy, stored !== undefined);
        if (problem !== undefined) issues.add(names[entity.key]!, `is ${quoted(key)}; it ${problem}`, key);
        if (!stored) this.requireNeeded(read, issues);
        const before = stored?.values ?? new Columns(this.initially());
        const fresh = this.freshTexts(read.said, before, issues);
        if (issues.count > 0) return undefined;
        const values = new Columns({ ...before.values, ...fresh });
        const diff = new Diff();
        for (const [path, value] of Object.entries(await this.wanted(requested, read, values)))
            diff.set(values, path, { path, value });
        if (issues.count > 0) return undefined;
        const change = await this.told(requested.ctx, diff.change(key, !stored));
        const id = stored?.id;
        if (change.action === 'unchanged') return { change, id, values, ask: nothing };
        const differing = Object.fromEntries([...values.changed].map(path => [path, values.get(path)]));
        const ids = await this.idsOf(requested, differing);
        await this.check(requested, { values, isDelete: false });
        if (issues.count > 0) return undefined;
        const input = { ...(stored ? {} : before.values), ...fresh, ...differing };
        return { change, id, values, ask: ctx => this.asking(ctx, { input, ids, before, values, id }) };
    }

    /** The record's values with derived ones: ids in operations, channels in which it stays, merged lists. */
    private async wanted(
        { ctx, faults: issues }: RequestedRecord,
        { said, operations, channels }: ServiceRecord,
        before: Columns,
    ): Promise<Values> {
        const { entity, strategy } = this.planning;
        const isMerge = strategy === 'MERGE';
        const resolved = await this.planning.operations.resolved(ctx, operations, issues);
        const all = { ...(entity.derive?.(said, before) ?? said), ...resolved };
        const joined = Object.entries(all).map(
            ([path, value]) => [path, isMerge ? joinedWith(before.get(path), value) : value] as const,
        );
        const of = (path: string): readonly string[] => (before.get(path) ?? []) as readonly string[];
        const [field] = Object.entries(entity.fields).find(([, { kind }]) => kind === 'channels') ?? [];
        const listed = field !== undefined && channels;
        return {
            ...Object.fromEntries(joined),
            ...(listed && { [field]: this.planning.channels!.wanted(listed, of(field), isMerge) }),
        };
    }

    private async *asking(ctx: RequestContext, { input, ids, before, values, id }: Handed): AsyncIterable<unknown> {
        const { entity, service, store, channels } = this.planning;
        const [field = ''] = Object.entries(entity.fields).find(([, { kind }]) => kind === 'channels') ?? [];
        const { [field]: _, ...others } = input;
        let of = id;
        if (of === undefined) {
            const made = await service.create(ctx, store.inputOf(others, ids));
            yield made;
            of = (made as { readonly id: ID }).id;
        } else if (Object.keys(others).length > 0) {
            const always = (entity.handedAlways ?? []).map(path => [path, values.get(path)] as const);
            const handed = store.inputOf({ ...Object.fromEntries(always), ...others }, ids);
            yield await service.update(ctx, { ...handed, id: of });
        }
        if (!channels || !values.changed.has(field)) return;
        const { added, removed } = channels.moves(
            before.get(field) as readonly string[],
            values.get(field) as readonly string[],
        );
        for (const channelId of added) yield await service.assign!(ctx, { id: of, channelId });
        for (const channelId of removed) yield await service.take!(ctx, { id: of, channelId });
    }

    private requireNeeded({ said, operations }: ServiceRecord, issues: RecordIssues): void {
        const { entity, store, names } = this.planning;
        for (const [field, what] of Object.entries(entity.fields))
            if (what.isNeeded === true && said[field] === undefined && !operations.has(field))
                issues.add(names[field]!, `is missing; a new ${entity.called[0]} needs one`);
        const custom = store.custom.base.map(({ name, property }) => [name, said[property]] as const);
        requireCustom(
            store.custom.base,
            Object.fromEntries(custom.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined)),
            { faults: issues, path: names['customFields']! },
        );
    }

    private initially(): Record<string, JsonValue> {
        const { entity, channels } = this.planning;
        return Object.fromEntries(
            Object.entries(entity.fields).flatMap(([field, what]) => {
                if (what.kind === 'channels') return [[field, channels!.always] as const];
                return what.initially === undefined ? [] : [[field, what.initially] as const];
            }),
        );
    }

    /** The initial values of texts in a new language; a required text must be in the record. */
    private freshTexts(said: Values, before: Columns, issues: RecordIssues): Record<string, JsonValue> {
        const { entity, store, names, language: own } = this.planning;
        const texts = Object.entries(entity.fields).flatMap(([field, what]) =>
            what.kind === 'value' && what.isTranslated === true ? [[field, what] as const] : [],
        );
        const fresh: Record<string, JsonValue> = {};
        if (texts.length === 0) return fresh;
        for (const language of store.languagesIn(Object.keys(said))) {
            const at = (field: string): string => textPath(own, language, field);
            const isFresh = texts.every(([field, { isNeeded }]) => isNeeded !== true || before.get(at(field)) === null);
            // For a new entity, missing texts in the run's language are reported for all fields together.
            const path = language === own ? '' : `${names['translations']!}.${language}.`;
            for (const [field, { isNeeded, initially }] of isFresh ? texts : []) {
                if (
                    isNeeded === true &&
                    said[at(field)] === undefined &&
                    (path !== '' || before.get(entity.key) !== null)
                )
                    issues.add(`${path}${names[field]!}`, `is missing; a new text needs one`);
                if (initially !== undefined) fresh[at(field)] = initially;
            }
            for (const { name, property, isRequired } of isFresh ? store.custom.localised : [])
                if (isRequired && said[at(property)] === undefined)
                    issues.add(
                        `${path}${names['customFields']!}.${name}`,
                        'is missing; it may not be empty and has no default',
                    );
        }
        return fresh;
    }

    /** The ids of what the differing fields name. */
    private async idsOf({ ctx, faults: issues }: RequestedRecord, differing: Values): Promise<ReadonlyMap<string, ID>> {
        const ids = new Map<string, ID>();
        const { entity, store } = this.planning;
        for (const [field, what] of Object.entries(entity.fields)) {
            const name = differing[field];
            if (what.kind !== 'value' || !what.names || typeof name !== 'string') continue;
            const { names } = what;
            const found = await store.named(ctx, names, name);
            const at = this.planning.names[field]!;
            if (found.length === 0) issues.add(at, `is ${quoted(name)}; no ${names.called} has this name`, name);
            if (found.length > 1)
                issues.add(at, `is ${quoted(name)}; ${found.length} of the kind ${names.called} have this name`, name);
            if (found.length === 1) ids.set(field, found[0]!);
        }
        return ids;
    }

    private async check(
        requested: RequestedRecord,
        { values, isDelete }: Pick<ServiceDecision, 'values'> & { readonly isDelete: boolean },
    ): Promise<void> {
        const { ctx, key, faults: issues, planned } = requested;
        const { entity, store, service } = this.planning;
        const id = requested.stored?.id;
        const nameOf = (field: string): string => this.planning.names[field]!;
        for (const field of isDelete ? [] : (entity.unique ?? [])) {
            const value = values.get(field);
            const stored = (await store.having(ctx, field, value)).filter(one => one !== id && !planned?.isOf(one));
            const isTaken = stored.length > 0 || planned?.has(field, { value, key });
            if (isTaken) issues.add(nameOf(field), `is ${quoted(value)}, which another ${entity.called[0]} has`, value);
        }
        await service.check?.({ ctx, id, key, isDelete, values, faults: issues, nameOf });
    }

    /** A change as people may read it. */
    private async told(ctx: RequestContext, change: Change): Promise<Change> {
        const { operations } = this.planning;
        if (change.action === 'create') {
            const [after] = await operations.readable(ctx, [change.after]);
            return { ...change, after: after! };
        }
        if (change.action !== 'update') return change;
        const [before, after] = await operations.readable(ctx, [change.before, change.after]);
        return { ...change, before: before!, after: after! };
    }
}

interface Handed {
    readonly input: Values;
    readonly ids: ReadonlyMap<string, ID>;
    readonly before: Columns;
    readonly values: Columns;
    readonly id: ID | undefined;
}

async function* nothing(): AsyncGenerator<never> {
    // There is nothing to call.
}

/** A list merged with the existing one; any other value unchanged. */
function joinedWith(before: JsonValue, value: JsonValue): JsonValue {
    if (!Array.isArray(before) || !Array.isArray(value)) return value;
    const known = new Set((before as readonly JsonValue[]).map(canonicalJson));
    return [
        ...(before as readonly JsonValue[]),
        ...(value as readonly JsonValue[]).filter(one => !known.has(canonicalJson(one))),
    ];
}
