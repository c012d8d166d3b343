import type { PossibleRight } from '../../core/adapter/base';
import type { z } from 'zod';
import type { Effect, StatementProgram } from '../../core/adapter/loader';
import type { AdapterContext, RunMode } from '../../core/adapter/context';
import type { JsonObject } from '../../core/value/json';
import type { EffectPublishers } from '../effects/effect';
import type { Diff } from './diff';
import type { DesiredEntity, ReadingRules } from './entity-record';
import type { EntityState } from './entity-state';
import type { RecordIssues } from './record-issues';
import type { ListMode, Strategy } from './load-arguments';
import type { UnitOfWork } from './unit-of-work';

/** What a step uses. */
export interface StepRules extends ReadingRules {
    readonly strategy: Strategy;
    /** The separate modes of lists. */
    readonly modes: ReadonlyMap<string, ListMode>;
    readonly sideEffects: EffectPublishers;
    readonly mode: RunMode;
    readonly cx: AdapterContext;
    /** Each record is a delete, even without an operation. */
    readonly deletesAll?: boolean;
}

/**
 * The behaviour of a kind of entity that its description cannot express (docs/adr/0012-entity-descriptions.md): additional arguments, and the
 * processing of its entities.
 */
export interface EntityExtension<
    S extends EntityState = EntityState,
    D extends DesiredEntity = DesiredEntity,
    X extends z.ZodRawShape = Record<never, z.ZodType>,
> {
    readonly config?: X;
    /** Permissions that only some records need, in addition to those of the entity. The configuration may be invalid. */
    mayRequire?(config: JsonObject): readonly PossibleRight[];
    /** Called once a step. */
    open(rules: StepRules, config: z.output<z.ZodObject<X>>): ExtendedStep<S, D> | Promise<ExtendedStep<S, D>>;
}

export interface ExtendedStep<S extends EntityState = EntityState, D extends DesiredEntity = DesiredEntity> {
    /** The content of a record's refined fields; `base` has the others. */
    read?(data: JsonObject, base: DesiredEntity, issues: RecordIssues): D;
    /** The keys that a record locks in addition to its own. */
    locks?(desired: D): readonly string[];
    /** What sound records have to wait for, before the transaction. */
    prepare?(desired: readonly D[]): Promise<unknown>;
    /** `prepared`: what became of that. */
    batch(work: UnitOfWork, prepared: unknown): ExtendedBatch<S, D>;
}

/** At work on one batch: script by script, a constant number of statements each. */
export interface ExtendedBatch<S extends EntityState = EntityState, D extends DesiredEntity = DesiredEntity> {
    /** Reads what it needs to plan valid records. */
    read?(records: readonly D[], foundEntity: FoundEntity<S, D>): StatementProgram<void>;
    /** Of kinds several of which may have one name: which of them a record without a key is about. */
    readonly namesakes?: SameNamed<S, D>;
    /** The order in which records are decided, where that is not their own. */
    order?(records: ReadonlyArray<ReadRecord<D>>, foundEntity: FoundEntity<S, D>): readonly number[];
    /** Completes a valid record with everything that follows from it; called after the earlier records are decided. */
    completed?(desired: D, state: S | undefined): StatementProgram<D>;
    /**
     * Called when all records of the batch are planned and their changes are reported; it may add changes that follow
     * from several of them.
     */
    finished?(): void;
    /** Reports errors of a record that creates or changes; nothing has been changed yet. */
    check?(requested: RequestedEntity<D>, state: S | undefined): void;
    /** Called after a record's fields are set on the entity: applies the other changes of the record. */
    assigned?(requested: RequestedEntity<D>, state: S, diff: Diff): void;
    /** Called before an entity is deleted. Returns why it must be kept; undefined if it is deleted. */
    deleting?(state: S): string | undefined;
    /** Before the rows of a batch are written. */
    writing?(written: WrittenEntities<S>): StatementProgram<void>;
    /** Called after the rows of a batch are written: writes further rows, and returns further effects. */
    written?(written: WrittenEntities<S>): StatementProgram<readonly Effect[]>;
}

/** Distinguishes entities with the same name. */
export interface SameNamed<S extends EntityState = EntityState, D extends DesiredEntity = DesiredEntity> {
    /** Reads what the extension needs; only references are read earlier. */
    read(records: readonly D[]): StatementProgram<void>;
    isMeant(desired: D, state: S): boolean;
    /** Whether a record does not determine which of several entities it means. */
    areAlike(desired: D, states: readonly S[]): boolean;
}

/** The loaded entities that a record is about. */
export type FoundEntity<S extends EntityState = EntityState, D extends DesiredEntity = DesiredEntity> = (
    desired: D,
) => readonly S[];

/** What a batch writes of a kind. */
export interface WrittenEntities<S extends EntityState = EntityState> {
    readonly created: readonly S[];
    readonly changed: readonly S[];
    readonly deleted: readonly S[];
}

/** One record: the values that it sets, and its errors. */
export interface ReadRecord<D extends DesiredEntity = DesiredEntity> {
    readonly desired: D;
    readonly faults: RecordIssues;
}

/** A record with a key, which labels its reports. */
export interface RequestedEntity<D extends DesiredEntity = DesiredEntity> extends ReadRecord<D> {
    readonly label: string;
}
