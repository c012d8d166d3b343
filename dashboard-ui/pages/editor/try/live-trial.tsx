import { Trans } from '@lingui/react/macro';
import { Button, PermissionGuard } from '@vendure/dashboard';
import { FlaskConicalIcon } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { FaultNotice } from '../../../parts/fault-notice';
import type { StepTest } from '../editor.graphql';
import type { Step } from '../model/definition';
import { useEditor } from '../state/editor-context';
import { countOf, stepKeyOf } from '../state/issues';
import { LastRunWords, SampleChoice } from './sample-choice';
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
    useEffect(() => {
        if (!isOld || !isSound || isTrying || !records || records.length === 0) return undefined;
        const timer = setTimeout(() => run({ stepKey: step.key, definition, records }), REST_MS);
        return () => clearTimeout(timer);
    }, [isOld, isSound, isTrying, records, run, step.key, definition]);
    const samples = useSamples(step);
    const [isChoosing, setChoosing] = useState(false);
    const isSeen = tried !== undefined && !trial.error;
    return (
        <div className="space-y-2">
            {isSeen && (
                <p
                    className="flex items-center gap-2 text-sm text-muted-foreground tabular-nums"
                    aria-live="polite"
                    aria-busy={isTrying}
                >
                    <SampleFigures counters={tried.test.counters} />
                    {!isChoosing && (
                        <Button size="xs" variant="ghost" className="ml-auto" onClick={() => setChoosing(true)}>
                            <Trans>Other samples</Trans>
                        </Button>
                    )}
                </p>
            )}
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
                            <Trans>Show what it does</Trans>
                        </Button>
                    </SampleChoice>
                </PermissionGuard>
            )}
            {isSeen && !isChoosing && <LastRunWords samples={samples} />}
            {trial.error && <FaultNotice error={trial.error} />}
        </div>
    );
}

function SampleFigures({ counters }: { readonly counters: StepTest['counters'] }): ReactNode {
    return (
        <Trans>
            Sample: {counters.in} in, {counters.out} out, {counters.rejected} rejected
        </Trans>
    );
}
