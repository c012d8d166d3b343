import { asFlowError, type FlowError, flowError } from '../errors/flow-error';
import type { ActionsOf, ActionStore } from '../ports/source-actions';
import type { JsonObject } from '../value/json';
import type { Attempts } from './attempts';
import type { RunInput, Source } from './compile';
import type { Surroundings } from './surroundings';

/** What actions are done with. */
export interface ActionParts {
    readonly attempts: Attempts;
    readonly surroundings: Surroundings;
}

/**
 * Has sources do what their pages asked for once all of the run is loaded or rejected durably (ADR 15): before the run is COMPLETED, so that the next
 * one, which may begin by then, does not find the file that was to be deleted. Each is done at least once.
 */
export class AfterSuccess {
    constructor(
        private readonly input: Pick<RunInput, 'mode'>,
        private readonly store: ActionStore,
        private readonly parts: ActionParts,
    ) {}

    /** What pages ask for, as far as anybody does it. */
    wanted({ step }: Source, actions: readonly JsonObject[]): readonly JsonObject[] {
        if (this.input.mode !== 'live' || actions.length === 0) return [];
        if (step.afterSuccess || step.actsAfterCompletion) return actions;
        throw flowError('BUG', {
            problem: `the extractor of step "${step.key}" wants actions, but has no afterSuccess`,
        });
    }

    /** How a source learns what is still to be done for earlier runs; nothing where that is no business of its own. */
    pendingOf({ step: { key, actsAfterCompletion } }: Source): {
        pendingActions?: () => Promise<readonly JsonObject[]>;
    } {
        if (!actsAfterCompletion) return {};
        const place = { stepKey: key, sourceKey: key, work: 'actions' } as const;
        return { pendingActions: () => this.parts.attempts.attempt(place, () => this.store.pending(key)) };
    }

    /** What still fails after its retries stays for the next run, and is told; the run has succeeded all the same. */
    async ofThisRun(source: Source): Promise<void> {
        await this.all(source, 'run', (error, actions) => {
            const then = 'The next run of the pipeline does it before it reads.';
            const text = `What the source wanted done after the run could not be done. ${then} ${error.message}`;
            this.parts.surroundings.log(source.step.key).warn(text, { code: error.code, actions });
        });
    }

    /** What earlier runs could not do. Throws what keeps it from being done: else what they have loaded would be read again. */
    async ofEarlierRuns(source: Source): Promise<void> {
        await this.all(source, 'earlier', error => {
            throw error;
        });
    }

    private async all(
        { step }: Source,
        of: ActionsOf,
        failed: (error: FlowError, actions: number) => void,
    ): Promise<void> {
        const { key, afterSuccess } = step;
        if (!afterSuccess || this.input.mode !== 'live') return;
        const { attempts, surroundings } = this.parts;
        const place = { stepKey: key, sourceKey: key };
        let behind: string | undefined;
        for (;;) {
            const some = await attempts.attempt({ ...place, work: 'actions' }, () =>
                this.store.actions(key, of, behind),
            );
            if (some.length === 0) return;
            for (const { key: stored, actions } of some) {
                behind = stored;
                const error = await attempts
                    .attempt({ ...place, work: 'afterSuccess' }, () => afterSuccess(actions, surroundings.adapter(key)))
                    .then(() => undefined, asFlowError);
                // The run ends, or goes on elsewhere, as it would in the middle of a batch.
                if (error?.treat === 'stop' || error?.code === 'DATABASE_LOST') throw error;
                if (error) failed(error, actions.length);
                else await attempts.attempt({ ...place, work: 'actions' }, () => this.store.done(key, of, stored));
            }
        }
    }
}
