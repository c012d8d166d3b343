import { logEvent } from '../adapter/log-event';
import { asFlowError, type FlowError, flowError } from '../errors/flow-error';
import type { ActionsOf, ActionStore } from '../ports/source-actions';
import type { JsonObject } from '../value/json';
import type { RetryExecutor } from './retry-executor';
import type { RunInput, Source } from './compile';
import type { ExecutionContext } from './execution-context';

/** The dependencies of the actions. */
interface SourceActionDeps {
    readonly attempts: RetryExecutor;
    readonly surroundings: ExecutionContext;
}

/**
 * Runs the actions that the pages of a source requested, once the whole run is loaded or rejected durably (ADR 15). They run before the run is
 * COMPLETED, because the next run may start then and must not find a file that was to be deleted. Each action runs at least once.
 */
export class PostCommitActions {
    constructor(
        private readonly input: Pick<RunInput, 'mode'>,
        private readonly store: ActionStore,
        private readonly deps: SourceActionDeps,
    ) {}

    /** The actions that pages request, and how they are run. */
    wanted({ step }: Source, actions: readonly JsonObject[]): readonly JsonObject[] {
        if (this.input.mode !== 'live' || actions.length === 0) return [];
        if (step.afterSuccess || step.actsAfterCompletion) return actions;
        throw flowError('BUG', {
            problem: `the extractor of step "${step.key}" wants actions, but has no afterSuccess`,
        });
    }

    /** Lets a source read the actions of earlier runs that are still pending; empty for a source without actions after completion. */
    pendingOf({ step: { key, actsAfterCompletion } }: Source): {
        pendingActions?: () => Promise<readonly JsonObject[]>;
    } {
        if (!actsAfterCompletion) return {};
        const place = { stepKey: key, sourceKey: key, work: 'actions' } as const;
        return { pendingActions: () => this.deps.attempts.attempt(place, () => this.store.pending(key)) };
    }

    /**
     * Runs the actions of this run. Actions that still fail after their retries stay for the next run and are logged; the run succeeds all the
     * same.
     */
    async pendingOfThisRun(source: Source): Promise<void> {
        await this.all(source, 'run', (error, actions) => {
            logEvent(this.deps.surroundings.log(source.step.key), 'SOURCE_ACTION_FAILED', { error, actions });
        });
    }

    /**
     * Runs the actions that earlier runs could not run. Throws the error that prevents one, because the source would otherwise read the same data
     * again.
     */
    async pendingOfEarlierRuns(source: Source): Promise<void> {
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
        const { attempts, surroundings: context } = this.deps;
        const place = { stepKey: key, sourceKey: key };
        let after: string | undefined;
        for (;;) {
            const some = await attempts.attempt({ ...place, work: 'actions' }, () =>
                this.store.actions(key, of, after),
            );
            if (some.length === 0) return;
            for (const { key: stored, actions } of some) {
                after = stored;
                const error = await attempts
                    .attempt({ ...place, work: 'afterSuccess' }, () => afterSuccess(actions, context.adapter(key)))
                    .then(() => undefined, asFlowError);
                // The error ends or suspends the run, exactly as in the middle of a batch.
                if (error?.treat === 'stop' || error?.code === 'DATABASE_LOST') throw error;
                if (error) failed(error, actions.length);
                else await attempts.attempt({ ...place, work: 'actions' }, () => this.store.done(key, of, stored));
            }
        }
    }
}
