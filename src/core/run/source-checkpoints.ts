import { createHash } from 'node:crypto';
import { phrase } from '../log/log-events';
import { logText, type LogText } from '../log/log-text';
import type { AdapterContext } from '../adapter/context';
import { logEvent } from '../adapter/log-event';
import { START } from '../steps/extract';
import type { RunInput, Source } from './compile';
import { stateKey } from '../progress/state-entries';
import type { SourceOffset, OffsetStore, RestoredOffset } from '../ports/ports';
import type { ResumeKey, UnfinishedRun } from '../ports/resumable-source';

/** Where a source starts, and how many of the following records an earlier run has rejected. */
export interface SourceStart extends Pick<RestoredOffset, 'position' | 'rejectedBefore'> {
    /** Its records come in the same order whenever it is read. */
    readonly isRepeatable?: boolean;
    /** Why this run does not read all of it: the end of a sentence that begins with the source. */
    readonly isPart?: string;
}

const CHANGES = phrase('HAS_CHANGES_ONLY');
const READ_ON = phrase('HAS_BEEN_READ_ON');

/** The facts of a run on which its saved positions depend. */
type CheckpointScope = Pick<RunInput, 'mode' | 'revision'>;

/**
 * Positions that outlive their run, for the sources that require it: those of an incomplete run, for the next run of the same revision. A dry run
 * reads all records, saves no positions, and reports where the next run would start differently.
 */
export class SourceCheckpoints {
    constructor(
        private readonly positions: OffsetStore,
        private readonly run: CheckpointScope,
    ) {}

    /**
     * The position from which a source is read: the run's own, else that of an incomplete run, else its beginning. This run takes over what the
     * incomplete run loaded after its position, and does not load it again.
     */
    async startOf(
        source: Pick<Source, 'step' | 'adds'>,
        own: SourceOffset | undefined,
        cx: AdapterContext,
    ): Promise<SourceStart> {
        const start = await this.begun(source, own, cx);
        return source.step.isPart ? { ...start, isPart: CHANGES } : start;
    }

    private async begun(
        { step, adds }: Pick<Source, 'step' | 'adds'>,
        own: SourceOffset | undefined,
        cx: AdapterContext,
    ): Promise<SourceStart> {
        const { key, saved } = step;
        const { mode, revision = '' } = this.run;
        const checkpoint = mode === 'preview' ? undefined : await saved?.(cx);
        if (!checkpoint) return { position: own ?? START, rejectedBefore: 0 };
        const { startOver } = checkpoint;
        const byCompleted = checkpoint.by === 'completed';
        const keptAs = stateKey('position', JSON.stringify([revision, checkpoint.key]));
        if (mode === 'dryRun') {
            if (!startOver && !byCompleted && (await this.positions.isLeft({ stepKey: key, key: keptAs })))
                logEvent(cx.log, 'SOURCE_READ_ON_LATER', {});
            return { position: own ?? START, rejectedBefore: 0 };
        }
        const of = digestsOf({ ...checkpoint.of, revision });
        const seeksUnfinished = adds.length > 0;
        const taken = await this.positions.restoreCheckpoint({
            stepKey: key,
            key: keptAs,
            ...(checkpoint.by !== undefined &&
                checkpoint.by !== 'unfinished' && {
                    byCompleted: { key: stateKey('completed', checkpoint.key), alsoUnfinished: !byCompleted },
                }),
            startOver,
            of,
            seeksUnfinished,
        });
        const isPart = byCompleted ? CHANGES : taken.isLeft ? READ_ON : undefined;
        const sourceStart: SourceStart = { ...taken, isRepeatable: !byCompleted, ...(isPart && { isPart }) };
        if (own) return sourceStart;
        if (taken.isLeft) logEvent(cx.log, 'SOURCE_READ_ON', {});
        else if (taken.unfinished) {
            const why = byCompleted ? logText('MOVED_BY_COMPLETED', {}) : whyAnew(taken.unfinished, of, startOver);
            logEvent(cx.log, 'SOURCE_READ_AGAIN', { run: String(taken.unfinished.runId), why, ...stepsNamed(adds) });
        }
        return sourceStart;
    }
}

/** Steps, and their number, as log events name them. */
export function stepsNamed(keys: readonly string[]): { readonly steps: string; readonly count: number } {
    return { steps: keys.map(key => `"${key}"`).join(', '), count: keys.length };
}

/** What is read now is not what that run has read. */
function whyAnew({ of: before }: UnfinishedRun, now: ResumeKey, startOver: boolean): LogText {
    if (before) {
        const other = Object.keys(now).filter(name => now[name] !== before[name]);
        if (other.length > 0) return logText('OTHER_KEY', { what: other });
    }
    return logText(startOver ? 'CHECKPOINT_RESET' : 'KEY_UNKNOWN', {});
}

/** A value that is compared and never shown; it may be long. */
function digestsOf(parts: Readonly<Record<string, string>>): ResumeKey {
    const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
    return Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, digest(text)]));
}
