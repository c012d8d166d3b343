import { toast, useMutation } from '@vendure/dashboard';
import { useState } from 'react';
import { faultOf } from '../../../ground/fault';
import { type Catalogue, kindOfStep } from '../catalogue/catalogue';
import { type Definition, edgesOf, type Step, stepOf } from '../model/definition';
import { useEditor } from '../state/editor-context';
import { type LastRun, lastRunOf, refusedAt } from './last-run';
import { readRecords } from './sample-records';

/** Where sample records come from. */
export type SampleOrigin = 'source' | 'lastRun' | 'given';
/** The available choices; includes rejected records of earlier runs. */
export type SampleChosen = SampleOrigin | 'refused';

/** Of a step that starts runs, of one that reads, of one that records come to. */
const OFFERED = {
    starts: ['source'],
    reads: ['source', 'lastRun'],
    takes: ['source', 'lastRun', 'given', 'refused'],
} as const satisfies Readonly<Record<string, readonly SampleChosen[]>>;

/** Records to try a step with, as they are chosen. */
export interface Samples {
    /** Nothing can be given to a step that reads its own. */
    readonly offered: readonly SampleChosen[];
    readonly origin: SampleOrigin;
    readonly limit: number;
    /** Records as JSON, where they are given. */
    readonly text: string;
    readonly isBroken: boolean;
    readonly isAsking: boolean;
    /** What was tried with last, where it was what the last run has left; null where nothing has run. */
    readonly lastRun: LastRun | null | undefined;
    choose(origin: SampleChosen): void;
    setLimit(limit: number): void;
    setText(text: string): void;
    /** Tries the step with them. */
    run(): void;
}

const DEFAULT_LIMIT = 10;
const MAX_SHOWN = 5;

/** Which sample records a step is tried with. */
export function useSamples(step: Step): Samples {
    const { catalogue, drawing, trial, pipeline } = useEditor();
    const { definition } = drawing;
    const role = roleOf(catalogue, definition, step);
    const [origin, setOrigin] = useState<SampleOrigin>('source');
    const [limit, setLimit] = useState(DEFAULT_LIMIT);
    const [text, setText] = useState('');
    const [isBroken, setBroken] = useState(false);
    const of = { pipelineId: pipeline.id, stepKey: step.key };
    const onError = (error: Error): unknown => toast.error(faultOf(error).message);
    const request = { stepKey: step.key, definition };
    const refused = useMutation({
        mutationFn: () => refusedAt(of),
        onSuccess: records => {
            setText(records.length === 0 ? '' : JSON.stringify(records, null, 2));
            setOrigin('given');
        },
        onError,
    });
    const lastRun = useMutation({
        mutationFn: () => lastRunOf(of),
        onSuccess: found => {
            if (!found) return;
            if (found.refused.length > 0 && role === 'takes') trial.run({ ...request, records: found.refused });
            else trial.run({ ...request, limit, files: found.files });
        },
        onError,
    });
    return {
        offered: OFFERED[role],
        origin,
        limit,
        text,
        isBroken,
        isAsking: refused.isPending || lastRun.isPending,
        lastRun: origin !== 'lastRun' || !lastRun.isSuccess ? undefined : (lastRun.data ?? null),
        choose(next) {
            setBroken(false);
            if (next === 'refused') return refused.mutate();
            setOrigin(next);
            const came = trial.triedOf(step.key)?.test.in ?? [];
            if (next === 'given' && text === '' && came.length > 0)
                setText(JSON.stringify(came.slice(0, MAX_SHOWN), null, 2));
        },
        setLimit,
        setText,
        run() {
            if (origin === 'source') return trial.run({ ...request, limit });
            if (origin === 'lastRun') return lastRun.mutate();
            const records = readRecords(text);
            setBroken(records === undefined);
            if (records) trial.run({ ...request, records });
        },
    };
}

/** A source may follow a step that brings records, which it then looks up. */
function roleOf(catalogue: Catalogue, definition: Definition, step: Step): keyof typeof OFFERED {
    const behindOf = (one: Step | undefined): string | undefined => one && kindOfStep(catalogue, one)?.behind;
    if (behindOf(step) === 'NOTHING') return 'starts';
    if (behindOf(step) === 'RECORDS') return 'takes';
    const before = edgesOf(definition).filter(({ to }) => to === step.key);
    return before.some(({ from }) => behindOf(stepOf(definition, from)) !== 'NOTHING') ? 'takes' : 'reads';
}
