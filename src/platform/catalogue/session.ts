import type { Change, Effect, Script, TableSession } from '../../core/adapter/loader';
import type { Batch, FlowRecord } from '../../core/data/record';
import { Faults, settleFaults, trimmedIn } from '../entities/faults';
import type { SideEffects } from '../effects/effect';
import type { Strategy } from '../entities/load-arguments';
import { type CatalogueModes, listModesIn } from './load-config';
import { oncePerBatch } from '../entities/once-per-batch';
import type { UnitOfWork } from '../entities/unit-of-work';
import type { DesiredGallery } from '../galleries/read-gallery';
import type { ReadyPictures } from '../pictures/picture-desk';
import { lockOfFacet } from './facet-values';
import type { OpenCatalogue } from './open-catalogue';
import type { PlanRules } from './plan-rules';
import type { PriceAnswers } from './price-sync';
import { writeCatalogue } from './write-catalogue';

/** What a batch was prepared with. */
export interface CatalogueReady {
    readonly answers: PriceAnswers;
    readonly pictures: ReadyPictures;
}

const NO_PICTURES: ReadyPictures = new Map();

/** What one load of the catalogue has of its own. */
export interface CatalogueLoad<R> {
    /** Its records, each read once. */
    of(batch: Batch): readonly R[];
    locks(record: R): readonly string[];
    planned(batch: readonly R[], work: UnitOfWork, ready: CatalogueReady): Script<readonly Change[]>;
    /** Has the pictures that its records name stored. */
    pictures?(batch: readonly R[]): Promise<ReadyPictures>;
    write(work: UnitOfWork): Script<readonly Effect[]>;
}

/** A load that plans its records in a unit of work, and writes that. */
export function catalogueSession<R extends { readonly faults: Faults }>(
    open: Pick<OpenCatalogue, 'prepare' | 'work' | 'settle'>,
    { of, locks, planned, write, pictures: storePictures }: CatalogueLoad<R>,
): TableSession {
    return {
        locks: batch => of(batch).flatMap(locks),
        async prepare(batch): Promise<CatalogueReady> {
            const records = of(batch);
            await settleFaults(records);
            const pictures = (await storePictures?.(records)) ?? NO_PICTURES;
            const answers = await open.prepare((work, found) => planned(records, work, { answers: found, pictures }));
            return { answers, pictures };
        },
        *plan(batch, ready) {
            const work = open.work();
            const changes = yield* planned(of(batch), work, ready as CatalogueReady);
            open.settle(work);
            return { changes, apply: () => write(work) };
        },
        trimmed: batch => trimmedIn(of(batch)),
    };
}

interface EntityConfig extends CatalogueModes {
    readonly strategy: Strategy;
    readonly createMissingFacetValues: boolean;
    readonly sideEffects: SideEffects;
}

/** How a load of products or variants reads, locks and plans. */
interface EntityLoad<D> {
    /** Undefined where something is wrong with the record, which `faults` says then. */
    read(record: FlowRecord, faults: Faults): D | undefined;
    locks(desired: D, ofFacets: FacetLocks): readonly string[];
    /** What it says of assets, its own and those of what stands in it. */
    galleries(desired: D): readonly DesiredGallery[];
    /** Those that ask for nothing but what is stored, found without planning them: few statements, whatever their number. */
    unchanged(rules: PlanRules, desired: readonly D[]): Script<ReadonlySet<D>>;
    /** By what a record is found. */
    keyOf(desired: D): string;
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
    { strategy, createMissingFacetValues: createsFacetValues, sideEffects, ...own }: EntityConfig,
    { read, locks, galleries: named, unchanged, keyOf, needed, plan }: EntityLoad<D>,
): TableSession {
    const { catalogue, isDryRun } = open;
    const { galleries } = catalogue;
    const modes = listModesIn(own, strategy);
    const sound = (records: ReadonlyArray<ReadEntity<D>>): readonly D[] =>
        records.flatMap(({ desired, faults }) => (faults.isSound && desired) || []);
    const ofFacets: FacetLocks = facets => (createsFacetValues ? (facets ?? []).flatMap(lockOfFacet) : []);
    // It is of use where most records of a batch are stored already, and two statements too many elsewhere; the last batch tells.
    let looksFirst = true;
    return catalogueSession<ReadEntity<D>>(open, {
        of: oncePerBatch(record => {
            const faults = new Faults();
            return { faults, desired: read(record, faults) };
        }),
        locks: ({ desired }) =>
            desired === undefined
                ? []
                : [...locks(desired, ofFacets), ...named(desired).flatMap(one => galleries!.locks(one))],
        pictures: async records => galleries!.prepare(sound(records).flatMap(named)),
        *planned(records, work, { answers, pictures }) {
            const rules = {
                catalogue,
                work,
                answers,
                pictures,
                isLive: !isDryRun,
                strategy,
                modes,
                createsFacetValues,
            };
            const all = sound(records);
            const same = looksFirst && !isDryRun ? yield* unchanged(rules, all) : new Set<D>();
            const wanted = same.size === 0 ? all : all.filter(desired => !same.has(desired));
            yield* galleries!.readAssets(work, wanted.flatMap(named), pictures);
            yield* needed(rules, wanted);
            const changes: Change[] = [];
            for (const { desired, faults } of records) {
                if (desired && same.has(desired)) changes.push({ action: 'unchanged', key: keyOf(desired) });
                else if (faults.isSound && desired) changes.push(yield* plan(rules, desired, new Faults(faults)));
                else changes.push({ action: 'reject', key: undefined, error: faults.error() });
            }
            looksFirst = 2 * changes.filter(({ action }) => action === 'unchanged').length >= changes.length;
            return changes;
        },
        write: work => writeCatalogue(catalogue, work, sideEffects),
    });
}
