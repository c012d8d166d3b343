import type { StatementProgram } from '../../core/adapter/loader';
import { byName } from '../../core/data/own-properties';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { LoadOutcomes, SourceOffset } from '../../core/ports/ports';
import { addCounters, type Counters, NO_COUNTS } from '../../core/progress/counters';
import { type PipelineShape, totalsOf } from '../../core/progress/outcome';
import { buildGraph } from '../../core/pipeline/graph';
import { writesIntoShop } from '../../core/run/compile';
import { RECONCILED } from '../../core/steps/step-reconciler';
import { readOutcomes } from '../../core/steps/load-outcomes';
import { outcomeCounts } from '../../core/steps/load-strategy';
import { EMPTY, join, name, select, type Sql, sql } from '../../database/statement';
import { offsetsOfRun } from './offsets';
import type { RunProgress } from './run-progress';
import type { RunIdentity, StoreEnv } from './store-env';

/** A batch that was loaded, and that no committed position covers. */
interface LoadedBatch {
    readonly stepKey: string;
    readonly sourceKey: string;
    readonly verdicts: LoadOutcomes;
}

/**
 * What a run has done, from what is stored alone: for a run that ends or pauses without its worker. Counts what is committed, and of the batches after it
 * what was loaded or delivered. Undefined where the run's definition is no longer stored.
 */
export function* storedProgress(
    env: StoreEnv,
    run: Pick<RunIdentity, 'runId' | 'pipelineId'>,
): StatementProgram<RunProgress | undefined> {
    const definition = yield* definitionOf(env, run);
    if (!definition) return undefined;
    const sources = yield* offsetsOfRun(env, run);
    const positions = new Map(sources.map(({ sourceKey, position }) => [sourceKey, position]));
    const committed = sources.reduce<Counters>((sum, { counters }) => addCounters(sum, counters), {});
    const loaded = yield* loadedAfter(env, run, positions);
    const counters = addCounters(committed, countersOf(loaded, positions));
    const read = new Set([...positions.keys(), ...loaded.map(({ sourceKey }) => sourceKey)]);
    read.delete(RECONCILED);
    return { counters, totals: totalsOf(counters, shapeOf(definition, [...read])) };
}

/** The steps that totals are made of. The sources are those that were read: a replay has others than its definition. */
function shapeOf(definition: PipelineDefinition, sources: readonly string[]): PipelineShape {
    const graph = buildGraph(definition);
    const leads = (key: string): boolean =>
        graph.next(key).some(step => (step.disabled === true ? leads(step.key) : true));
    const enabled = definition.steps.filter(({ kind, disabled }) => kind !== 'TRIGGER' && disabled !== true);
    return {
        sources,
        loads: enabled.filter(({ kind }) => writesIntoShop(kind)).map(({ key }) => key),
        leaves: enabled.filter(({ key }) => !leads(key)).map(({ key }) => key),
    };
}

function* definitionOf(
    { tables: { runs, revisions } }: StoreEnv,
    { runId }: Pick<RunIdentity, 'runId'>,
): StatementProgram<PipelineDefinition | undefined> {
    const [row] = yield* select<{ own: unknown; published: unknown }>(sql`
        SELECT r.${runs.column('definition')} AS ${name('own')}, v.${revisions.column('definition')} AS ${name('published')}
        FROM ${runs.name} r LEFT JOIN ${revisions.name} v ON v.${revisions.column('id')} = r.${runs.column('revisionId')}
        WHERE r.${runs.column('id')} = ${runId}`);
    if (!row) return undefined;
    const stored = runs.fromColumn('definition', row.own) ?? revisions.fromColumn('definition', row.published);
    return (stored ?? undefined) as PipelineDefinition | undefined;
}

function* loadedAfter(
    { tables: { markers } }: StoreEnv,
    { runId }: Pick<RunIdentity, 'runId'>,
    sourceOffsets: ReadonlyMap<string, SourceOffset>,
): StatementProgram<readonly LoadedBatch[]> {
    const source = markers.column('sourceKey');
    const committed = [...sourceOffsets].map(
        ([key, { batchNo }]) => sql`NOT (${source} = ${key} AND ${markers.column('batchNo')} < ${batchNo})`,
    );
    const and: Sql = committed.length === 0 ? EMPTY : sql` AND ${join(committed, ' AND ')}`;
    const columns = join(
        ['stepKey', 'sourceKey', 'verdicts'].map(property => sql`${markers.column(property)} AS ${name(property)}`),
    );
    return yield* select<LoadedBatch>(
        sql`SELECT ${columns} FROM ${markers.name} WHERE ${markers.column('runId')} = ${runId}${and}`,
    );
}

function countersOf(loaded: readonly LoadedBatch[], sourceOffsets: ReadonlyMap<string, SourceOffset>): Counters {
    let counters: Counters = byName();
    const read = new Map<string, number>();
    for (const { stepKey, sourceKey, verdicts: outcomes } of loaded) {
        const known = readOutcomes(outcomes).filter(({ letter }) => letter !== '?');
        const counts = outcomeCounts(known.map(({ letter }) => letter).join(''));
        const { rejected = 0 } = counts;
        const flow =
            sourceKey === RECONCILED ? { expanded: rejected } : { in: known.length, out: known.length - rejected };
        counters = addCounters(counters, { [stepKey]: { ...NO_COUNTS, ...counts, ...flow } });
        if (sourceKey === RECONCILED) continue;
        const last = Math.max(...known.map(({ seq = -1 }) => seq));
        read.set(sourceKey, Math.max(read.get(sourceKey) ?? 0, last + 1));
    }
    for (const [sourceKey, seq] of read) {
        const more = Math.max(0, seq - (sourceOffsets.get(sourceKey)?.seq ?? 0));
        counters = addCounters(counters, { [sourceKey]: { ...NO_COUNTS, in: more, out: more } });
    }
    return counters;
}
