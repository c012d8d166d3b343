import type { PossibleRight } from '../../core/adapter/base';
import type { z } from 'zod';
import type { Effect, Script } from '../../core/adapter/loader';
import type { AdapterContext, RunMode } from '../../core/adapter/context';
import type { JsonObject } from '../../core/value/json';
import type { SideEffects } from '../effects/effect';
import type { Diff } from './diff';
import type { DesiredEntity, ReadingRules } from './entity-record';
import type { EntityState } from './entity-state';
import type { Faults } from './faults';
import type { ListMode, Strategy } from './load-arguments';
import type { UnitOfWork } from './unit-of-work';

/** What a step goes by. */
export interface StepRules extends ReadingRules {
    readonly strategy: Strategy;
    /** The modes that lists have of their own. */
    readonly modes: ReadonlyMap<string, ListMode>;
    readonly sideEffects: SideEffects;
    readonly mode: RunMode;
    readonly cx: AdapterContext;
    /** Each record is a delete, whether it says so or not. */
    readonly deletesAll?: boolean;
}

/** What a kind of entity does that no description can say (docs/adr/0012-entity-descriptions.md): arguments of its own, and how its entities are worked on. */
export interface Refinement<
    S extends EntityState = EntityState,
    D extends DesiredEntity = DesiredEntity,
    X extends z.ZodRawShape = Record<never, z.ZodType>,
> {
    readonly config?: X;
    /** Rights that only some records need, in addition to those of the entity. The configuration may have faults. */
    mayRequire?(config: JsonObject): readonly PossibleRight[];
    /** Called once a step. */
    open(rules: StepRules, config: z.output<z.ZodObject<X>>): RefinedStep<S, D> | Promise<RefinedStep<S, D>>;
}

export interface RefinedStep<S extends EntityState = EntityState, D extends DesiredEntity = DesiredEntity> {
    /** What a record says in the fields that are refined; `base` is the rest. */
    read?(data: JsonObject, base: DesiredEntity, faults: Faults): D;
    /** What a record locks beside its own key. */
    locks?(desired: D): readonly string[];
    /** What sound records have to wait for, before the transaction. */
    prepare?(desired: readonly D[]): Promise<unknown>;
    /** `prepared`: what became of that. */
    batch(work: UnitOfWork, prepared: unknown): RefinedBatch<S, D>;
}

/** At work on one batch: script by script, a constant number of statements each. */
export interface RefinedBatch<S extends EntityState = EntityState, D extends DesiredEntity = DesiredEntity> {
    /** Reads what it has to know of what sound records ask for. */
    read?(records: readonly D[], found: Found<S, D>): Script<void>;
    /** Of kinds several of which may have one name: which of them a record without a key is about. */
    readonly namesakes?: Namesakes<S, D>;
    /** The order in which records are decided, where that is not their own. */
    order?(records: ReadonlyArray<ReadRecord<D>>, found: Found<S, D>): readonly number[];
    /** A sound record with all that follows from it, asked for when those before it are decided. */
    completed?(desired: D, state: S | undefined): Script<D>;
    /** All records of the batch are decided, and their changes are told; what follows from several of them may be added. */
    finished?(): void;
    /** Says what is wrong with a record that creates or changes; nothing has been changed yet. */
    check?(asked: AskedEntity<D>, state: S | undefined): void;
    /** A record's fields stand in the entity: what else the record changes. */
    assigned?(asked: AskedEntity<D>, state: S, diff: Diff): void;
    /** An entity is to be deleted: what keeps it, or undefined where nothing does, and it is. */
    deleting?(state: S): string | undefined;
    /** Before the rows of a batch are written. */
    writing?(written: WrittenEntities<S>): Script<void>;
    /** The rows of a batch are written: what else there is to write, and to make known. */
    written?(written: WrittenEntities<S>): Script<readonly Effect[]>;
}

/** Tells entities of one name apart. */
export interface Namesakes<S extends EntityState = EntityState, D extends DesiredEntity = DesiredEntity> {
    /** Reads what that goes by; before anything else but references is read. */
    read(records: readonly D[]): Script<void>;
    isMeant(desired: D, state: S): boolean;
    /** Whether a record does not say which of several it is about. */
    areAlike(desired: D, states: readonly S[]): boolean;
}

/** The entities at hand that a record is about. */
export type Found<S extends EntityState = EntityState, D extends DesiredEntity = DesiredEntity> = (
    desired: D,
) => readonly S[];

/** What a batch writes of a kind. */
export interface WrittenEntities<S extends EntityState = EntityState> {
    readonly created: readonly S[];
    readonly changed: readonly S[];
    readonly deleted: readonly S[];
}

/** One record: what it asks for, and what is wrong with it. */
export interface ReadRecord<D extends DesiredEntity = DesiredEntity> {
    readonly desired: D;
    readonly faults: Faults;
}

/** That of a record that has a key, by which it is told of. */
export interface AskedEntity<D extends DesiredEntity = DesiredEntity> extends ReadRecord<D> {
    readonly label: string;
}
