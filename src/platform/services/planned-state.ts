import type { ID, RequestContext } from '@vendure/core';
import type { JsonValue } from '../../core/value/json';
import type { Columns } from '../entities/columns';
import { MAX_PLANNED } from '../entities/unit-of-work';
import type { StoredEntity } from './service-store';

/** The kind of a plan: its description, or another object that represents it. */
type PlannedKind = object;

const ofRuns = new WeakMap<RequestContext, Map<PlannedKind, PlannedState>>();

/** The planned writes of a dry run for one kind of entity, by key; they take precedence over the tables, which are not written. */
export class PlannedState {
    private readonly byKey = new Map<string, StoredEntity | undefined>();
    private readonly ids = new Set<ID>();

    /** That of a run, which has one context. */
    static of(ctx: RequestContext, entity: PlannedKind): PlannedState {
        const kinds = ofRuns.get(ctx) ?? new Map<PlannedKind, PlannedState>();
        ofRuns.set(ctx, kinds);
        const planned = kinds.get(entity) ?? new PlannedState();
        kinds.set(entity, planned);
        return planned;
    }

    /** The planned result for a key: one, or none if it will be deleted; undefined if nothing is planned for it. */
    get(key: string): readonly StoredEntity[] | undefined {
        if (!this.byKey.has(key)) return undefined;
        const entity = this.byKey.get(key);
        return entity ? [entity] : [];
    }

    /** Whether a stored entity has a planned change, so that its row is outdated. */
    isOf(id: ID): boolean {
        return this.ids.has(id);
    }

    /** Whether one with another key would have this value. */
    has(field: string, { value, key }: { readonly value: JsonValue; readonly key: string }): boolean {
        return [...this.byKey].some(([other, entity]) => other !== key && entity?.values.get(field) === value);
    }

    /** Without values it would be deleted. True where something planned had to be forgotten. */
    put(key: string, { id, values }: { readonly id: ID | undefined; readonly values?: Columns }): boolean {
        if (id !== undefined) this.ids.add(id);
        this.byKey.set(key, values && { id, values });
        if (this.byKey.size <= MAX_PLANNED) return false;
        this.byKey.delete(this.byKey.keys().next().value!);
        return true;
    }
}
