import { Trans } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, Button, usePermissions } from '@vendure/dashboard';
import { PlayIcon, RocketIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { startsByHand } from '../../../parts/trigger-text';
import { useTriggerText } from '../../../parts/trigger-words';
import { useStartRun } from '../../../parts/use-start-run';
import type { PublishedRevision } from '../editor.graphql';
import { useEditor } from '../state/editor-context';

interface PublishedNoticeProps {
    readonly revision: PublishedRevision;
    readonly onClose: () => void;
}

/** What starts the revision that has just been published, and a button to start it now. */
export function PublishedNotice({ revision: { number, triggers }, onClose }: PublishedNoticeProps): ReactNode {
    const { pipeline } = useEditor();
    const { hasPermissions } = usePermissions();
    const textOf = useTriggerText();
    const { press, isPending } = useStartRun();
    const active = triggers.filter(({ enabled, type }) => enabled && type !== 'MANUAL');
    const mayRun = pipeline.enabled && startsByHand(triggers) && hasPermissions(['RunFlowPipeline']);
    return (
        <Alert aria-live="polite">
            <RocketIcon aria-hidden />
            <AlertTitle>
                <Trans>Revision {number} is live</Trans>
            </AlertTitle>
            <AlertDescription className="space-y-2">
                {!pipeline.enabled ? (
                    <p>
                        <Trans>The pipeline is disabled: nothing starts it until you enable it.</Trans>
                    </p>
                ) : active.length === 0 ? (
                    <p>
                        <Trans>
                            Nothing starts it automatically. Run it now, or add a trigger, for example a schedule.
                        </Trans>
                    </p>
                ) : (
                    <>
                        <p>
                            <Trans>These triggers are active now:</Trans>
                        </p>
                        <ul className="list-disc pl-5">
                            {active.map(({ key, ...trigger }) => (
                                <li key={key}>{textOf(trigger)}</li>
                            ))}
                        </ul>
                    </>
                )}
                <span className="flex flex-wrap gap-2">
                    {mayRun && (
                        <Button size="sm" disabled={isPending} onClick={() => press({ pipelineId: pipeline.id })}>
                            <PlayIcon aria-hidden />
                            <Trans>Run now</Trans>
                        </Button>
                    )}
                    <Button size="sm" variant="outline" onClick={onClose}>
                        <Trans context="flow">Close</Trans>
                    </Button>
                </span>
            </AlertDescription>
        </Alert>
    );
}
