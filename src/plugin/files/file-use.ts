import { type ID } from '@vendure/core';
import { type DataSource, In, IsNull, Not } from 'typeorm';
import type { Registry } from '../../core/adapter/registry';
import { inputFileIds } from '../../core/pipeline/input-source';
import type { JsonObject } from '../../core/value/json';
import { RUN_STATUSES, isTerminal } from '../../core/progress/state';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun } from '../entities/run';
import { definitionReferences } from '../references/definition-references';

const OPEN = RUN_STATUSES.filter(status => !isTerminal(status));
const BATCH = 100;

/**
 * The public ids of files that runs read or may still read: those in the definitions of pending, running and paused runs, and those that
 * runs were given.
 */
export async function filesInUse(dataSource: DataSource, registry: Registry): Promise<ReadonlySet<string>> {
    const runs = await dataSource
        .getRepository(FlowPipelineRun)
        .createQueryBuilder('run')
        .select('run.revisionId', 'revisionId')
        .distinct(true)
        .where({ status: In(OPEN) })
        .getRawMany<{ revisionId: ID | null }>();
    const ids = runs.flatMap(({ revisionId }) => (revisionId === null ? [] : [revisionId]));
    const files = new Set<string>();
    for (let from = 0; from < ids.length; from += BATCH) {
        const revisions = await dataSource
            .getRepository(FlowPipelineRevision)
            .findBy({ id: In(ids.slice(from, from + BATCH)) });
        for (const { definition } of revisions) for (const id of fileIdsOf(definition, registry)) files.add(id);
    }
    const trials = await dataSource
        .getRepository(FlowPipelineRun)
        .createQueryBuilder('run')
        .addSelect('run.definition')
        .where({ status: In(OPEN), definition: Not(IsNull()) })
        .getMany();
    for (const { definition } of trials) for (const id of fileIdsOf(definition ?? {}, registry)) files.add(id);
    const given = await dataSource.getRepository(FlowPipelineRun).find({
        where: { status: In(OPEN), sourceReference: Not(IsNull()) },
        select: { id: true, sourceReference: true },
    });
    for (const { sourceReference } of given)
        for (const id of sourceReference ? inputFileIds(sourceReference) : []) files.add(id);
    return files;
}

/** The files that a definition's steps name. */
export function fileIdsOf(definition: JsonObject, registry: Registry): readonly string[] {
    return definitionReferences(definition, registry).flatMap(({ to, code }) => (to === 'file' ? [code] : []));
}
