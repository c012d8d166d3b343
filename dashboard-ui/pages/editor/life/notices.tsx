import { Trans } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, Button } from '@vendure/dashboard';
import { ClipboardXIcon, MessageSquareWarningIcon, SaveOffIcon, UsersIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { FaultNotice } from '../../../parts/fault-notice';
import { Moment } from '../../../parts/moment';
import type { NoPart } from '../model/clipboard';
import { useRefusalText } from '../palette/refusal-text';
import { useEditor } from '../state/editor-context';
import type { Saving } from '../state/use-saving';
import { ConflictDialog } from './conflict-dialog';

interface NoticesProps {
    readonly saving: Saving;
    readonly refused: NoPart | undefined;
    readonly onRead: () => void;
}

/** Events while the user draws, such as another user's save or a rejected action. None needs immediate attention. */
export function Notices({ saving, refused, onRead }: NoticesProps): ReactNode {
    const textOf = useRefusalText();
    const { pipeline } = useEditor();
    const comment = pipeline.workingCopy?.reviewComment;
    return (
        <div className="space-y-2" aria-live="polite">
            {saving.error && <FaultNotice error={saving.error} />}
            {comment && (
                <Alert>
                    <MessageSquareWarningIcon aria-hidden />
                    <AlertTitle>
                        <Trans>The reviewer sent it back</Trans>
                    </AlertTitle>
                    <AlertDescription className="whitespace-pre-wrap">{comment}</AlertDescription>
                </Alert>
            )}
            <ForeignNotice saving={saving} />
            {!saving.isKept && saving.isDirty && (
                <Alert>
                    <SaveOffIcon aria-hidden />
                    <AlertDescription>
                        <Trans>This browser cannot keep unsaved changes. Save before you leave.</Trans>
                    </AlertDescription>
                </Alert>
            )}
            {refused && (
                <Alert>
                    <ClipboardXIcon aria-hidden />
                    <AlertTitle>
                        <Trans>Nothing was pasted</Trans>
                    </AlertTitle>
                    <AlertDescription className="space-y-2">
                        <p>{textOf(refused)}</p>
                        <Button size="sm" variant="outline" onClick={onRead}>
                            <Trans context="flow">Close</Trans>
                        </Button>
                    </AlertDescription>
                </Alert>
            )}
        </div>
    );
}

function ForeignNotice({ saving }: { readonly saving: Saving }): ReactNode {
    const { drawing } = useEditor();
    const { foreign, isDirty } = saving;
    const [isComparing, setComparing] = useState(false);
    const [later, setLater] = useState<number>();
    if (!foreign) return null;
    const { by, version } = foreign;
    const takeOver = (): void => {
        drawing.replace({ definition: foreign.definition, places: drawing.places });
        saving.rebase(foreign);
    };
    const title =
        by === undefined ? <Trans>Someone else saved this pipeline</Trans> : <Trans>{by} saved this pipeline</Trans>;
    const choose = isDirty ? (
        <Button size="sm" onClick={() => setComparing(true)}>
            <Trans>Compare</Trans>
        </Button>
    ) : (
        <Button size="sm" onClick={takeOver}>
            <Trans>Show the new version</Trans>
        </Button>
    );
    return (
        <>
            {later === version ? (
                // Until it is chosen nothing can be saved: the way there stays.
                <p className="flex flex-wrap items-center gap-2 text-sm">
                    <UsersIcon aria-hidden className="size-4" />
                    {title}
                    {choose}
                </p>
            ) : (
                <Alert>
                    <UsersIcon aria-hidden />
                    <AlertTitle>
                        {title} {foreign.at && <Moment value={foreign.at} />}
                    </AlertTitle>
                    <AlertDescription className="space-y-2">
                        <p>
                            {isDirty ? (
                                <Trans>
                                    Your changes are not lost. Choose a version for each step before you save.
                                </Trans>
                            ) : (
                                <Trans>You have no unsaved changes. This page still shows the previous version.</Trans>
                            )}
                        </p>
                        <span className="flex gap-2">
                            {choose}
                            <Button size="sm" variant="outline" onClick={() => setLater(version)}>
                                <Trans>Later</Trans>
                            </Button>
                        </span>
                    </AlertDescription>
                </Alert>
            )}
            <ConflictDialog
                saving={saving}
                foreign={foreign}
                isOpen={isComparing}
                onClose={() => setComparing(false)}
            />
        </>
    );
}
