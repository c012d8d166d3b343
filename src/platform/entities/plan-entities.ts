import type { Change, StatementProgram } from '../../core/adapter/loader';
import { show } from '../../core/value/show';
import type { JsonObject } from '../../core/value/json';
import { Diff } from './diff';
import { RecordIssues } from './record-issues';
import { ListPlan } from './plan-lists';
import { requireCustom, setCustom } from './plan-custom';
import { Columns } from './columns';
import { readChannelsOf, readRelations } from './read-members';
import { requireTexts, requireValues } from './required-fields';
import { select } from '../../database/statement';
import type { Id } from '../../database/write';
import type { EntityDescription } from './description';
import type { DesiredEntity } from './entity-record';
import type { EntityState } from './entity-state';
import { EntityMatch } from './match-entities';
import { newEntity } from './new-entity';
import type { RequestedEntity, ReadRecord, ExtendedBatch, StepRules } from './entity-extension';
import type { GivenKey, KeyVariants } from './key-variants';
import type { EntitySet, UnitOfWork } from './unit-of-work';

/** The maximum number of entities that a message names. */
const NAMED = 5;

function shownKeys(states: readonly EntityState[]): string {
    const shown = states.slice(0, NAMED).map(state => show(state.key));
    return [...shown, ...(states.length > NAMED ? ['…'] : [])].join(', ');
}

/**
 * The key of a record, if it may be stored in another spelling: keys that are not translated are stored as they are
 * given.
 */
export function givenKey(
    { key: { made, isTranslated } }: EntityDescription,
    { key, name, isDelete }: DesiredEntity,
): GivenKey | undefined {
    if (key === undefined || !made || isTranslated !== true) return undefined;
    return { given: key, stored: made.by(key), name, isDelete };
}

/** What is decided about the records of one batch, one after the other, in a unit of work. */
export class EntityPlan {
    private readonly set: EntitySet;
    /** What keeps an entity from being deleted, by its id. */
    private readonly kept = new Map<Id, string[]>();
    private readonly lists: ListPlan;
    private readonly match: EntityMatch;
    private readonly refined: ExtendedBatch;
    /** The keys that records of the run have given in other spellings. */
    private readonly spelt: KeyVariants | undefined;

    constructor(
        private readonly rules: StepRules,
        private readonly work: UnitOfWork,
        { refined = {}, spelt }: { readonly refined?: ExtendedBatch | undefined; readonly spelt?: KeyVariants } = {},
    ) {
        this.refined = refined;
        this.spelt = spelt;
        this.set = work.of(rules.store.entity);
        this.lists = new ListPlan(rules, work);
        this.match = new EntityMatch(rules.store, work, refined.namesakes);
    }

    /** Reads what the records need, and plans: as few statements as their fields allow, whatever their number. */
    *changes(records: readonly ReadRecord[]): StatementProgram<readonly Change[]> {
        const sound = records.filter(({ faults: issues }) => issues.isSound).map(({ desired }) => desired);
        yield* this.match.read(sound);
        yield* readRelations(
            this.rules.store,
            sound.flatMap(desired => this.found(desired)),
            sound.map(({ custom }) => custom),
        );
        yield* this.lists.read(sound, desired => this.found(desired));
        yield* this.readUses(sound);
        yield* this.refined.read?.(sound, desired => this.found(desired)) ?? [];
        return yield* this.decided(records);
    }

    /** Decides about each record, when all entities that they are about are loaded. */
    private *decided(records: readonly ReadRecord[]): StatementProgram<readonly Change[]> {
        const { refined } = this;
        const changes: Change[] = [];
        for (const i of refined.order?.(records, desired => this.found(desired)) ?? records.keys()) {
            const { desired, faults: known } = records[i]!;
            const issues = new RecordIssues(known);
            this.checkSpelling(desired, issues);
            const change = this.change(known.isSound ? yield* this.whole(desired) : desired, issues);
            if (change.action !== 'reject') this.rememberSpelling(desired);
            changes[i] = change;
        }
        refined.finished?.();
        return changes;
    }

    /** Adds an error if an earlier record of the run used the same key in another spelling, with another name. */
    private checkSpelling({ key, name, id }: DesiredEntity, issues: RecordIssues): void {
        if (key === undefined || id !== undefined) return;
        const { entity } = this.rules.store;
        const conflict = this.spelt?.conflict(key, { name, called: entity.called[0] });
        const field = this.rules.names[entity.key.field]!;
        if (conflict !== undefined)
            issues.add(field, `is ${show(key)}; ${conflict}. Give another ${entity.key.field}`, key);
    }

    private rememberSpelling(desired: DesiredEntity): void {
        const key = givenKey(this.rules.store.entity, desired);
        if (key && !key.isDelete) this.spelt?.add(key);
    }

    /** A record with all that follows from it. */
    private *whole(desired: DesiredEntity): StatementProgram<DesiredEntity> {
        const keyed = yield* this.match.keyed(desired);
        const { completed } = this.refined;
        return completed ? yield* completed.call(this.refined, keyed, this.found(desired)[0]) : keyed;
    }

    private *readUses(records: readonly DesiredEntity[]): StatementProgram<void> {
        const { entity, dialect, platform } = this.rules.store;
        const deleting = records.filter(({ isDelete }) => isDelete);
        if (deleting.length === 0) return;
        if (entity.keepsLast === true) this.set.count ??= yield* this.rules.store.count();
        const found = deleting.flatMap(desired => this.found(desired));
        if (entity.leavesChannel === true) yield* readChannelsOf(this.rules.store, found);
        const ids = found.flatMap(({ id }) => id ?? []);
        if (ids.length === 0) return;
        for (const { called, count } of entity.uses) {
            if (!called) continue;
            const { dataSource } = platform;
            const rows = yield* select<{ id: Id; uses: number | string }>(count({ dataSource, dialect }, ids));
            for (const { id, uses } of rows) {
                const text = `${uses} ${called[Number(uses) === 1 ? 0 : 1]}`;
                this.kept.set(id, [...(this.kept.get(id) ?? []), text]);
            }
        }
    }

    private found(desired: DesiredEntity): readonly EntityState[] {
        return this.match.found(desired);
    }

    private change(desired: DesiredEntity, issues: RecordIssues): Change {
        this.requireKey(desired, issues);
        const label = this.labelOf(desired);
        const change =
            label !== undefined && issues.count === 0 ? this.decide({ desired, label, faults: issues }) : undefined;
        return change ?? { action: 'reject', key: label, error: issues.error() };
    }

    private labelOf(desired: DesiredEntity): string | undefined {
        const { within } = this.rules.store.entity.key;
        if (desired.id !== undefined) return String(desired.id);
        const key = desired.key ?? this.found(desired)[0]?.key ?? desired.name;
        if (key === undefined || within === undefined) return key;
        return `${this.match.refOf(desired, within)?.key ?? desired.refs.get(within) ?? ''}:${key}`;
    }

    private requireKey(desired: DesiredEntity, issues: RecordIssues): void {
        if (issues.count > 0 || desired.id !== undefined) return;
        const { store, names, channel } = this.rules;
        const { key, called } = store.entity;
        if (desired.key === undefined && desired.name === undefined)
            issues.add(
                names[key.field]!,
                key.made
                    ? `is missing, and so is the ${key.made.of}; ${called[1]} are found by one of them`
                    : `is missing; ${called[1]} are found by it`,
            );
        if (key.within === undefined) return;
        const { entity } = store.refs.get(key.within)!;
        const field = names[key.within]!;
        const text = desired.refs.get(key.within);
        if (text === undefined) issues.add(field, `is missing; a ${called[0]} is one of a ${entity.called[0]}`);
        else if (!desired.isDelete && !this.match.refOf(desired, key.within))
            issues.add(
                field,
                `is ${show(text)}; no ${entity.called[0]} of channel ${channel.code} has this ${entity.key.field}`,
                text,
            );
    }

    /** Undefined where something is wrong with the record. */
    private decide(requested: RequestedEntity): Change | undefined {
        const { store, strategy, names, channel } = this.rules;
        const { key, called } = store.entity;
        const { desired, label, faults: issues } = requested;
        const found = this.found(desired);
        const own = found.filter(({ isInChannel }) => isInChannel);
        const [existing] = own;
        const place = store.channels ? ` of channel ${channel.code}` : '';
        const isNamed = desired.key === undefined && desired.name !== undefined && key.made !== undefined;
        const [by, given] = isNamed ? [key.made.of, desired.name] : [key.field, desired.key];
        const refuse = (problem: string): undefined => {
            issues.add(names[by]!, `is ${show(given)}; ${problem}`, given);
            return undefined;
        };
        if (own.length > 1)
            return refuse(
                `${own.length} ${called[1]}${place} have this ${by}${by === key.field ? '' : `: ${shownKeys(own)}. Give the ${key.field}`}`,
            );
        const near = this.match.near(desired);
        if (near)
            return refuse(
                `it becomes ${show(near.key)}, which is the ${key.field} of ${called[0]} ${show(near.name)}. Give another ${key.field}`,
            );
        if (desired.isDelete) return existing ? this.delete(existing, requested) : { action: 'unchanged', key: label };
        if (existing && strategy === 'CREATE')
            return refuse(`this ${called[0]} exists already, and the strategy is CREATE`);
        if (!existing && strategy === 'UPDATE')
            return refuse(`no ${called[0]}${place} has this ${by}, and the strategy is UPDATE`);
        if (existing) return this.update(existing, requested);
        if (found.length > 0)
            return refuse(`the ${called[0]} that has this ${by} is not assigned to channel ${channel.code}`);
        if (desired.key === undefined) return refuse(`no ${key.field} can be made of it. Give the ${key.field}`);
        // Elsewhere case and accents make another key.
        const alike = store.dialect.kind === 'mysql' ? this.set.alike(desired.key) : undefined;
        if (alike !== undefined) return refuse(`the database takes it for the same as ${show(alike)}`);
        return this.create(requested);
    }

    private delete(state: EntityState, requested: RequestedEntity): Change | undefined {
        const { label, faults: issues } = requested;
        const { store, names, deletesAll, channel } = this.rules;
        const { entity } = store;
        const [one, many] = entity.called;
        const [field, value] = deletesAll === true ? [names[entity.key.field]!, label] : ['__operation', 'DELETE'];
        const refuse = (problem: string): undefined => {
            issues.add(field, `is ${show(value)}, but ${problem}`, value);
            return undefined;
        };
        const uses = state.id === undefined ? undefined : this.kept.get(state.id);
        if (uses) return refuse(`the ${one} is used by ${uses.join(' and ')}`);
        if (entity.keepsLast === true && this.set.count === 1)
            return refuse(`the last of the shop's ${many} has to stay`);
        const problem = this.refined.deleting?.(state);
        if (problem !== undefined) return refuse(problem);
        if (entity.leavesChannel === true && state.channels!.now.length > 1) {
            state.channels!.delete(channel.id);
            state.isInChannel = false;
            this.set.touch(state);
        } else this.set.remove(state);
        return { action: 'delete', key: label, before: this.described(state) };
    }

    private update(state: EntityState, requested: RequestedEntity): Change | undefined {
        const { desired, label, faults: issues } = requested;
        requireTexts(this.rules, requested, state);
        this.refined.check?.(requested, state);
        this.lists.check({ desired, faults: issues, state });
        if (issues.count > 0) return undefined;
        const diff = new Diff();
        this.assign(state, desired, diff);
        this.refined.assigned?.(requested, state, diff);
        if (diff.size > 0) this.set.touch(state);
        return diff.change(label, false);
    }

    private create(requested: RequestedEntity): Change | undefined {
        const { desired, label, faults: issues } = requested;
        const { store, names } = this.rules;
        requireTexts(this.rules, requested, undefined);
        this.refined.check?.(requested, undefined);
        requireValues(this.rules, requested);
        this.lists.check({ desired, faults: issues, state: undefined });
        requireCustom(store.custom.base, desired.custom, { faults: issues, path: names['customFields']! });
        if (issues.count > 0) return undefined;
        const state = newEntity(store.entity, desired.key!);
        for (const field of store.refs.keys()) state.setRef(field, this.match.refOf(desired, field)!);
        const diff = new Diff();
        for (const [field, { key }] of state.refs) diff.add(field, null, key);
        if (store.entity.key.isTranslated !== true) diff.add(store.entity.key.field, null, state.key);
        this.assign(state, desired, diff);
        this.refined.assigned?.(requested, state, diff);
        this.set.addNew(state, store.keyOfState(state));
        return diff.change(label, true);
    }

    private assign(state: EntityState, desired: DesiredEntity, diff: Diff): void {
        const { store, strategy, channel } = this.rules;
        const isMerge = strategy === 'MERGE';
        for (const [field, value] of Object.entries(desired.values))
            diff.set(state.columns, field, { path: field, value });
        this.lists.assign(state, desired, diff);
        setCustom(diff, state.columns, { fields: store.custom, values: desired.custom, path: 'customFields', isMerge });
        for (const [language, { values, custom }] of desired.texts) {
            const prefix = language === channel.language ? '' : `translations.${language}.`;
            const text = state.texts.get(language) ?? { id: undefined, columns: new Columns({}) };
            state.setText(language, text);
            for (const [field, value] of Object.entries(values))
                diff.set(text.columns, field, { path: prefix + field, value });
            setCustom(diff, text.columns, {
                fields: store.custom,
                values: custom,
                path: `${prefix}customFields`,
                isMerge,
            });
        }
    }

    /** The reported values of a deleted entity. */
    private described(state: EntityState): JsonObject {
        const { store, channel } = this.rules;
        const texts = state.texts.get(channel.language)?.columns;
        return {
            [store.entity.key.field]: state.key,
            ...Object.fromEntries(store.translated.map(field => [field, texts?.get(field) ?? null])),
        };
    }
}
