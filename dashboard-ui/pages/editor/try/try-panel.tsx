import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@vendure/dashboard';
import { FlaskConicalIcon, TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { FaultNotice } from '../../../parts/fault-notice';
import { kindOfStep } from '../catalogue/catalogue';
import type { Step } from '../model/definition';
import { useEditor } from '../state/editor-context';
import { SampleChoice } from './sample-choice';
import { TestResult } from './test-result';
import { useSamples } from './use-samples';

/** A step tried on sample records. Nothing is written. */
export function TryPanel({ step }: { readonly step: Step }): ReactNode {
    const { t } = useLingui();
    const { catalogue, drawing, trial } = useEditor();
    const samples = useSamples(step);
    const { limit } = samples;
    const isFirst = kindOfStep(catalogue, step)?.behind === 'NOTHING';
    const tried = trial.triedOf(step.key);
    const isOld = tried !== undefined && tried.request.definition !== drawing.definition;
    return (
        <div className="space-y-4">
            <SampleChoice samples={samples}>
                <Button disabled={trial.isTrying || samples.isAsking} onClick={() => samples.run()}>
                    <FlaskConicalIcon aria-hidden />
                    <Trans>Test</Trans>
                </Button>
            </SampleChoice>
            {trial.error && <FaultNotice error={trial.error} />}
            {isOld && (
                <p className="flex gap-1.5 text-sm">
                    <TriangleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
                    <Trans>The pipeline has changed. Test it again.</Trans>
                </p>
            )}
            <div aria-live="polite" aria-busy={trial.isTrying}>
                {trial.isTrying && (
                    <p className="text-sm text-muted-foreground">
                        <Trans>Testing …</Trans>
                    </p>
                )}
                {tried && <TestResult test={tried.test} isFirst={isFirst} />}
            </div>
            {!tried && !trial.isTrying && (
                <p className="text-sm text-muted-foreground">
                    {isFirst
                        ? t`Shows up to ${plural(limit, { one: '# entry', other: '# entries' })} that the trigger finds now, including those already processed. Nothing is processed, and no run is started.`
                        : t`Sends up to ${plural(limit, { one: '# record', other: '# records' })} of each source through the previous steps and this one. Nothing is written, and only lookups are sent.`}
                </p>
            )}
        </div>
    );
}
