import type { Change, Effect, StatementProgram, TableSession } from '../../core/adapter/loader';
import type { Batch, FlowRecord } from '../../core/data/record';
import { RecordIssues, resolveIssues, trimIn } from '../entities/record-issues';
import type { EffectPublishers } from '../effects/effect';
import type { Strategy } from '../entities/load-arguments';
import { type CatalogueModes, listModesIn, type MissingPrice } from './load-config';
import { oncePerBatch } from '../entities/once-per-batch';
import { grantSlugs } from '../entities/slugs';
import { SessionMemory } from '../entities/session-memory';
import type { GivenKey } from '../entities/key-variants';
import type { UnitOfWork } from '../entities/unit-of-work';
import { type DesiredAssets, NO_ASSETS } from '../entity-assets/read-assets';
import type { ReadyImages } from '../asset-import/asset-downloader';
import { lockOfFacet } from './facet-values';
import type { OpenCatalogue } from './open-catalogue';
import type { PlanRules } from './plan-rules';
import type { StrategyPrices } from './price-sync';
import { writeCatalogue } from './write-catalogue';

/** What a batch was prepared with. */
export interface CatalogueReady {
    readonly answers: StrategyPrices;
    readonly pictures: ReadyImages;
}

const NO_PICTURES: ReadyImages = new Map();

/** The specific parts of one load of the catalogue. */
export interface CatalogueLoad<R> {
    /** Its records, each read once. */
    of(batch: Batch): readonly R[];
    locks(record: R): readonly string[];
    planned(batch: readonly R[], work: UnitOfWork, ready: CatalogueReady): StatementProgram<readonly Change[]>;
    /** Has the pictures that its records name stored. */
    pictures?(batch: readonly R[]): Promise<ReadyImages>;
    write(work: UnitOfWork): StatementProgram<readonly Effect[]>;
}

/** A load that plans its records in a unit of work, and writes that. */
export function catalogueSession<R extends { readonly faults: RecordIssues }>(
    open: Pick<OpenCatalogue, 'prepare' | 'work' | 'settle'>,
    { of, locks, planned, write, pictures: storePictures }: CatalogueLoad<R>,
): TableSession {
    return {
        locks: batch => of(batch).flatMap(locks),
        async prepare(batch): Promise<CatalogueReady> {
            const records = of(batch);
            await resolveIssues(records);
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
        trimmed: batch => trimIn(of(batch)),
    };
}

interface EntityConfig extends CatalogueModes {
    readonly strategy: Strategy;
    readonly createMissingFacetValues: boolean;
    readonly missingPrice: MissingPrice;
    readonly sideEffects: EffectPublishers;
}

/** How a load of products or variants reads, locks and plans. */
interface EntityLoad<D, R extends PlanRules> {
    /** What its batches are planned by. */
    rules(common: PlanRules): R;
    /** Undefined where something is wrong with the record, which `faults` says then. */
    read(record: FlowRecord, issues: RecordIssues): D | undefined;
    locks(desired: D, ofFacets: FacetLocks): readonly string[];
    /** The key by which it is found, if it may be stored in another spelling. */
    givenKey?(desired: D): GivenKey | undefined;
    /** The assets in the record: its own and those of the entities in it. */
    galleries(desired: D): readonly DesiredAssets[];
    /** The changes of the records that a comparison with the stored rows can decide: few statements for any number of records. */
    compared(rules: R, desired: readonly D[]): StatementProgram<ReadonlyMap<D, Change>>;
    /** Whether the rows that were read for that need not be read again for the others. */
    readonly isReadOnce: boolean;
    /** Reads what the records need: as few statements as their fields allow, whatever their number. */
    needed(rules: R, desired: readonly D[]): StatementProgram<void>;
    /** Decides about those that are new and need no closer look; undefined for others. */
    planPlain?(rules: R, desired: D): Change | undefined;
    plan(rules: R, desired: D, issues: RecordIssues): StatementProgram<Change>;
    /** Of a dry run: what becomes of a record about something that was planned as new, if no more than its key is known; undefined for others. */
    planForgotten(rules: R, desired: D): Change | undefined;
}

/** The locks of the facets that records name, where they may have to be made. */
type FacetLocks = (facets: ReadonlyArray<{ readonly facet: string }> | undefined) => readonly string[];

interface ReadEntity<D> {
    readonly faults: RecordIssues;
    readonly desired: D | undefined;
    /** The assets in the record, if it has any. */
    readonly assets: readonly DesiredAssets[];
}

interface SoundEntity<D> extends ReadEntity<D> {
    readonly desired: D;
}

function isSound<D>(record: ReadEntity<D>): record is SoundEntity<D> {
    return record.faults.isSound && record.desired !== undefined;
}

const NO_LOCKS: readonly string[] = [];

/** A load of products or variants. */
export function entitySession<D, R extends PlanRules>(
    open: OpenCatalogue,
    { strategy, createMissingFacetValues: createsFacetValues, missingPrice, sideEffects, ...own }: EntityConfig,
    load: EntityLoad<D, R>,
): TableSession {
    const { catalogue, isDryRun } = open;
    const { galleries } = catalogue;
    const modes = listModesIn(own, strategy);
    const ofFacets: FacetLocks = facets => (createsFacetValues && facets ? facets.flatMap(lockOfFacet) : NO_LOCKS);
    // The comparison is useful if most records of a batch are already stored, and otherwise costs two extra statements; the previous batch decides.
    let looksFirst = true;
    const read = oncePerBatch((record): ReadEntity<D> => {
        const issues = new RecordIssues();
        const desired = load.read(record, issues);
        const assets = desired === undefined ? [] : load.galleries(desired).filter(one => one !== NO_ASSETS);
        return { faults: issues, desired, assets };
    });
    const memory = new SessionMemory(batch => read(batch).map(({ desired }) => desired && load.givenKey?.(desired)));
    const { spelt, later } = memory;
    const session = catalogueSession<ReadEntity<D>>(open, {
        of: read,
        locks({ desired, assets }) {
            if (desired === undefined) return NO_LOCKS;
            const locks = load.locks(desired, ofFacets);
            return assets.length === 0 ? locks : [...locks, ...assets.flatMap(one => galleries!.locks(one))];
        },
        pictures: async records => galleries!.prepare(records.filter(isSound).flatMap(({ assets }) => assets)),
        *planned(records, work, { answers, pictures }) {
            const rules = load.rules({
                catalogue,
                work,
                answers,
                pictures,
                isLive: !isDryRun,
                strategy,
                modes,
                createsFacetValues,
                missingPrice,
                spelt,
            });
            const all = records.filter(isSound);
            const known =
                looksFirst && !isDryRun
                    ? yield* load.compared(
                          rules,
                          all.map(({ desired }) => desired),
                      )
                    : new Map<D, Change>();
            const desired = known.size === 0 ? all : all.filter(({ desired }) => !known.has(desired));
            yield* galleries!.readAssets(
                work,
                desired.flatMap(({ assets }) => assets),
                pictures,
            );
            yield* load.needed(
                rules,
                desired.map(({ desired }) => desired),
            );
            const changes: Change[] = [];
            for (const record of records) {
                const { desired, faults: issues } = record;
                const change =
                    desired &&
                    (known.get(desired) ??
                        (issues.isSound
                            ? ((isDryRun ? load.planForgotten(rules, desired) : undefined) ??
                              load.planPlain?.(rules, desired))
                            : undefined));
                if (change) changes.push(change);
                else if (isSound(record))
                    changes.push(yield* load.plan(rules, record.desired, new RecordIssues(issues)));
                else changes.push({ action: 'reject', key: undefined, error: issues.error() });
            }
            spelt.endBatch();
            grantSlugs(work);
            yield* later.grant(work, catalogue.products);
            looksFirst =
                load.isReadOnce || 2 * changes.filter(({ action }) => action === 'unchanged').length >= changes.length;
            return changes;
        },
        write: work => writeCatalogue(catalogue, work, sideEffects),
    });
    return { ...session, memory };
}
