import type { Change, Effect, Script, TableSession } from '../../core/adapter/loader';
import type { Batch, FlowRecord } from '../../core/data/record';
import { Faults, trimmedIn } from '../entities/faults';
import type { SideEffects } from '../effects/effect';
import type { Strategy } from '../entities/load-arguments';
import { oncePerBatch } from '../entities/once-per-batch';
import type { UnitOfWork } from '../entities/unit-of-work';
import { lockOfFacet } from './facet-values';
import type { OpenCatalogue } from './open-catalogue';
import type { PlanRules } from './plan-variant';
import type { PriceAnswers } from './price-sync';
import { writeCatalogue } from './write-catalogue';

/** What one load of the catalogue has of its own. */
export interface CatalogueLoad<R> {
    /** Its records, each read once. */
    of(batch: Batch): readonly R[];
    locks(record: R): readonly string[];
    planned(batch: readonly R[], work: UnitOfWork, answers: PriceAnswers): Script<readonly Change[]>;
    write(work: UnitOfWork): Script<readonly Effect[]>;
}

/** A load that plans its records in a unit of work, and writes that. */
export function catalogueSession<R extends { readonly faults: Faults }>(
    open: Pick<OpenCatalogue, 'prepare' | 'work' | 'settle'>,
    { of, locks, planned, write }: CatalogueLoad<R>,
): TableSession {
    return {
        locks: batch => of(batch).flatMap(locks),
        prepare: batch => open.prepare(of(batch), (work, answers) => planned(of(batch), work, answers)),
        *plan(batch, answers) {
            const work = open.work();
            const changes = yield* planned(of(batch), work, answers as PriceAnswers);
            open.settle(work);
            return { changes, apply: () => write(work) };
        },
        trimmed: batch => trimmedIn(of(batch)),
    };
}

interface EntityConfig {
    readonly strategy: Strategy;
    readonly createMissingFacetValues: boolean;
    readonly sideEffects: SideEffects;
}

/** How a load of products or variants reads, locks and plans. */
interface EntityLoad<D> {
    /** Undefined where something is wrong with the record, which `faults` says then. */
    read(record: FlowRecord, faults: Faults): D | undefined;
    locks(desired: D, ofFacets: FacetLocks): readonly string[];
    /** Reads what the records are about: as few statements as what they say allows, whatever their number. */
    needed(rules: PlanRules, desired: readonly D[]): Script<void>;
    plan(rules: PlanRules, desired: D, faults: Faults): Script<Change>;
}

/** The locks of the facets that records name, where they may have to be made. */
export type FacetLocks = (facets: ReadonlyArray<{ readonly facet: string }> | undefined) => readonly string[];

interface ReadEntity<D> {
    readonly faults: Faults;
    readonly desired: D | undefined;
}

/** A load of products or variants. */
export function entitySession<D>(
    open: OpenCatalogue,
    { strategy, createMissingFacetValues: createsFacetValues, sideEffects }: EntityConfig,
    { read, locks, needed, plan }: EntityLoad<D>,
): TableSession {
    const { catalogue, isDryRun } = open;
    const ofFacets: FacetLocks = facets => (createsFacetValues ? (facets ?? []).flatMap(lockOfFacet) : []);
    return catalogueSession<ReadEntity<D>>(open, {
        of: oncePerBatch(record => {
            const faults = new Faults();
            return { faults, desired: read(record, faults) };
        }),
        locks: ({ desired }) => (desired === undefined ? [] : locks(desired, ofFacets)),
        *planned(records, work, answers) {
            const rules = { catalogue, work, answers, isLive: !isDryRun, strategy, createsFacetValues };
            yield* needed(
                rules,
                records.flatMap(({ desired, faults }) => (faults.isSound && desired) || []),
            );
            const changes: Change[] = [];
            for (const { desired, faults } of records)
                changes.push(
                    faults.isSound && desired
                        ? yield* plan(rules, desired, new Faults(faults))
                        : { action: 'reject', key: undefined, error: faults.error() },
                );
            return changes;
        },
        write: work => writeCatalogue(catalogue, work, sideEffects),
    });
}
