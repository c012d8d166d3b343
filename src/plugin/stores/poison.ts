import type { Script } from '../../core/adapter/loader';
import type { PoisonNotes, PoisonStore } from '../../core/ports/poison';
import { name, select, sql } from '../../database/statement';
import { insertFenced } from './fence';
import { GettingOn } from './getting-on';
import { overwriting } from './memories';
import { type RunIdentity, type StoreEnv, runScope, targetOf } from './store-env';

/** Of no step, and no position. It goes with the run's other checkpoints. */
const PLACE = { stepKey: '', key: 'poison' };

/** What the workers of a run tell of what they are at, in one row (ADR 59). */
export class Poison implements PoisonStore {
    readonly isTakeover: boolean;
    readonly isCareful: boolean;
    private readonly gettingOn: GettingOn;

    constructor(
        private readonly env: StoreEnv,
        private readonly identity: RunIdentity & { readonly dryRun: boolean; readonly isTakeover: boolean },
    ) {
        this.isTakeover = identity.isTakeover;
        this.isCareful = identity.takeovers > 0;
        this.gettingOn = new GettingOn(env, identity);
    }

    async read(): Promise<PoisonNotes> {
        const { checkpoints } = this.env.tables;
        const { pipelineId, runId } = this.identity;
        const [row] = await this.env.database.run(() =>
            select<{ value: string }>(sql`
                SELECT ${checkpoints.column('value')} AS ${name('value')} FROM ${checkpoints.name}
                WHERE ${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${runScope(runId)}
                AND ${checkpoints.column('stepKey')} = ${PLACE.stepKey} AND ${checkpoints.column('key')} = ${PLACE.key}`),
        );
        return row ? (JSON.parse(row.value) as PoisonNotes) : { suspects: [] };
    }

    async write(notes: PoisonNotes, isNews: boolean): Promise<void> {
        const { database } = this.env;
        if (isNews) await database.transaction(() => this.writing(notes, true), { brief: true });
        else await database.run(() => this.writing(notes, false));
    }

    private *writing(notes: PoisonNotes, isNews: boolean): Script<void> {
        if (isNews) yield* this.gettingOn.forgetTakeovers();
        const { pipelineId, runId } = this.identity;
        const row = { pipelineId, scope: runScope(runId), ...PLACE, value: notes };
        yield* insertFenced(this.env, this.identity, {
            target: targetOf(this.env, 'checkpoints'),
            row,
            suffix: overwriting(this.env),
        });
    }
}
