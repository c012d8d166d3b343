import { Trans } from '@lingui/react/macro';
import { Button, PermissionGuard } from '@vendure/dashboard';
import { FlaskConicalIcon } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { FaultNotice } from '../../../parts/fault-notice';
import type { StepTest } from '../editor.graphql';
import type { Definition, Step } from '../model/definition';
import { leadsAlike } from '../model/outline';
import { useEditor } from '../state/editor-context';
import { countOf, stepKeyOf } from '../state/issues';
import type { TrialRequest } from '../state/use-trial';
import { LastRunWords, SampleChoice } from './sample-choice';
import { TrialRemarks } from './trial-remarks';
import { useSamples } from './use-samples';

const REST_MS = 700;

/** Has sample records go through the step, and again whenever its settings have changed and are sound: each operator shows what it made of them. */
export function LiveTrial({ step }: { readonly step: Step }): ReactNode {
    const { drawing, trial, checks } = useEditor();
    const { definition } = drawing;
    const tried = trial.triedOf(step.key);
    const ofStep = checks.issues.filter(issue => stepKeyOf(issue, definition) === step.key);
    const isSound = checks.isCurrent && countOf(ofStep).errors === 0;
    const { run, isTrying } = trial;
    const records = tried?.test.in;
    const isOld = tried !== undefined && tried.request.definition !== definition;
    const cameBy = tried && cameByOf(tried.request);
    // Others would come to it now.
    const isPast = cameBy !== undefined && !leadsAlike(cameBy, definition, step.key);
    useEffect(() => {
        if (!isOld || isPast || !isSound || isTrying || !records || records.length === 0) return undefined;
        const request = { stepKey: step.key, definition, records, ...(cameBy && { cameBy }) };
        const timer = setTimeout(() => run(request), REST_MS);
        return () => clearTimeout(timer);
    }, [isOld, isPast, isSound, isTrying, records, cameBy, run, step.key, definition]);
    const samples = useSamples(step);
    const [isChoosing, setChoosing] = useState(false);
    const isSeen = tried !== undefined && !trial.error && !isPast;
    return (
        <div className="space-y-2">
            {isSeen && (
                <p
                    className="flex items-center gap-2 text-sm text-muted-foreground tabular-nums"
                    aria-live="polite"
                    aria-busy={isTrying}
                >
                    <SampleFigures counters={tried.test.counters} />
                    <Button
                        size="xs"
                        variant="ghost"
                        className="ml-auto"
                        aria-expanded={isChoosing}
                        onClick={() => setChoosing(!isChoosing)}
                    >
                        {isChoosing ? <Trans>Hide the samples</Trans> : <Trans>Other samples</Trans>}
                    </Button>
                </p>
            )}
            {isSeen && <TrialRemarks test={tried.test} />}
            {(!isSeen || isChoosing) && (
                <PermissionGuard requires={['UpdateFlowPipeline']}>
                    <SampleChoice samples={samples}>
                        <Button
                            variant="outline"
                            disabled={isTrying || !isSound || samples.isAsking}
                            onClick={() => {
                                samples.run();
                                // What is typed may have to be mended.
                                if (samples.origin !== 'given') setChoosing(false);
                            }}
                        >
                            <FlaskConicalIcon aria-hidden />
                            <Trans>Preview</Trans>
                        </Button>
                    </SampleChoice>
                </PermissionGuard>
            )}
            {isSeen && !isChoosing && <LastRunWords samples={samples} />}
            {trial.error && <FaultNotice error={trial.error} />}
        </div>
    );
}

/** By which definition the records of a trial have come to the step; undefined where they were given. */
function cameByOf({ records, cameBy, definition }: TrialRequest): Definition | undefined {
    return records === undefined ? definition : cameBy;
}

function SampleFigures({ counters }: { readonly counters: StepTest['counters'] }): ReactNode {
    return (
        <Trans>
            Sample: {counters.in} in, {counters.out} out, {counters.rejected} rejected
        </Trans>
    );
}
