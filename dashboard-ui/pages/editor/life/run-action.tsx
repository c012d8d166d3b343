import { Trans, useLingui } from '@lingui/react/macro';
import {
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
} from '@vendure/dashboard';
import { PlayIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { startsByHand } from '../../../parts/trigger-text';
import { useStartRun } from '../../../parts/use-start-run';
import type { EditedPipeline } from '../editor.graphql';

interface RunActionProps {
    readonly pipeline: EditedPipeline;
    /** Whether the draft differs from what a run would execute. */
    readonly isDraft: boolean;
    /** Opens the dialog for publishing; undefined if the draft cannot be published. */
    readonly onPublish: (() => void) | undefined;
}

/** Starts a run of the live revision. If the draft differs from it, the user may publish the draft first. */
export function RunAction({ pipeline, isDraft, onPublish }: RunActionProps): ReactNode {
    const { t } = useLingui();
    const { press, isPending } = useStartRun();
    const [isAsking, setAsking] = useState(false);
    const { revision, enabled, id } = pipeline;
    const number = revision?.number;
    const isByHand = revision === null || startsByHand(revision.triggers);
    const why = !enabled
        ? t`The pipeline is disabled.`
        : revision === null && onPublish === undefined
          ? t`Runs execute a published revision. Nothing is published yet.`
          : isByHand
            ? undefined
            : t`It cannot be started manually: the live revision has no manual trigger.`;
    const act = (): void => {
        if (revision === null) onPublish?.();
        else if (isDraft) setAsking(true);
        else press({ pipelineId: id });
    };
    return (
        <>
            <Button variant="outline" title={why} disabled={isPending || why !== undefined} onClick={act}>
                <PlayIcon aria-hidden />
                <span className="max-sm:sr-only">
                    <Trans context="flow">Run</Trans>
                </span>
            </Button>
            <Dialog open={isAsking} onOpenChange={setAsking}>
                <DialogContent>
                    <DialogHeader>
                        <DialogTitle>
                            <Trans>Run without your changes?</Trans>
                        </DialogTitle>
                        <DialogDescription>
                            <Trans>
                                A run executes revision {number} (live). Publish the draft first to run it with your
                                changes.
                            </Trans>
                        </DialogDescription>
                    </DialogHeader>
                    <DialogFooter>
                        <Button
                            variant={onPublish ? 'outline' : 'default'}
                            disabled={isPending}
                            onClick={() => press({ pipelineId: id })}
                        >
                            <Trans>Run revision {number}</Trans>
                        </Button>
                        {onPublish && (
                            <Button
                                onClick={() => {
                                    setAsking(false);
                                    onPublish();
                                }}
                            >
                                <Trans>Publish first …</Trans>
                            </Button>
                        )}
                    </DialogFooter>
                </DialogContent>
            </Dialog>
        </>
    );
}
