import type { AdapterContext } from '../../core/adapter/context';
import type { TableSession } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import type { DesiredEntity } from './entity-record';
import { RecordIssues, resolveIssues, trimIn } from './record-issues';
import { lockKeysOf } from './locks';
import { oncePerBatch } from './once-per-batch';
import { overflowOf } from './overflow';
import { EntityPlan, givenKey } from './plan-entities';
import type { ExtendedStep, StepRules } from './entity-extension';
import { SessionMemory } from './session-memory';
import { unitOfWork } from './unit-of-work';
import { writeEntities } from './write-entities';

interface DescribedStep {
    readonly rules: StepRules;
    readonly refined: ExtendedStep | undefined;
}

/** A step at work on entities of one kind: reads each record once, locks, plans and writes. */
export function describedSession(
    cx: AdapterContext,
    { rules, refined }: DescribedStep,
    readRecord: (data: JsonObject, issues: RecordIssues) => DesiredEntity,
): TableSession {
    const { platform, entity } = rules.store;
    const overflow = overflowOf(cx, entity.called[1]);
    const read = oncePerBatch(({ data }) => {
        const issues = new RecordIssues();
        return { faults: issues, desired: readRecord(data, issues) };
    });
    const memory = new SessionMemory(batch => read(batch).map(({ desired }) => givenKey(entity, desired)));
    const { spelt, later } = memory;
    const hasSlugs = entity.key.isTranslated === true;
    return {
        locks: batch =>
            read(batch).flatMap(({ desired }) => [
                ...lockKeysOf(entity, desired),
                ...(refined?.locks?.(desired) ?? []),
            ]),
        async prepare(batch) {
            const records = read(batch);
            await resolveIssues(records);
            return refined?.prepare?.(
                records.flatMap(({ desired, faults: issues }) => (issues.isSound ? [desired] : [])),
            );
        },
        *plan(batch, prepared) {
            const work = unitOfWork(platform, cx.mode);
            const batched = refined?.batch(work, prepared);
            const changes = yield* new EntityPlan(rules, work, { refined: batched, spelt }).changes(read(batch));
            spelt.endBatch();
            if (hasSlugs) yield* later.grant(work, rules.store);
            if (cx.mode !== 'live') overflow(work.settle());
            return { changes, apply: () => writeEntities(rules, work.of(entity), batched) };
        },
        trimmed: batch => trimIn(read(batch)),
        ...(hasSlugs && { memory }),
    };
}
