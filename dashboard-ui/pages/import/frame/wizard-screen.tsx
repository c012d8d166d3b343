import { Trans, useLingui } from '@lingui/react/macro';
import { Button, cn } from '@vendure/dashboard';
import { ArrowLeftIcon, CheckIcon, CloudAlertIcon } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { faultOf } from '../../../ground/fault';
import type { DraftSaving } from '../use-draft-saving';
import { useWizard } from '../wizard-context';
import { stepBefore } from '../wizard-state';
import { useStepWords } from './step-words';
import { useStepKeys } from './use-step-keys';

/** The one button that leads on. */
export interface PrimaryAction {
    readonly label: ReactNode;
    readonly onPress: () => void;
    readonly isDisabled?: boolean;
    /** Why it is disabled; shown next to it. */
    readonly reason?: ReactNode;
}

interface WizardScreenProps {
    /** Absent while there is nothing to continue with. */
    readonly primary?: PrimaryAction;
    /** The heading; default: the name of the step. */
    readonly title?: ReactNode;
    readonly children: ReactNode;
}

/** The frame of a screen: a heading that takes the focus, the content, and a footer that stays in sight with Back and the primary button. */
export function WizardScreen({ primary, title, children }: WizardScreenProps): ReactNode {
    const words = useStepWords();
    const { step, open } = useWizard();
    const goBack = step === 'FILE' || step === 'IMPORT' ? undefined : () => open(stepBefore(step));
    useStepKeys({ onPrimary: primary && !primary.isDisabled ? primary.onPress : undefined, onBack: goBack });
    return (
        <>
            <h2 id={STEP_HEADING} tabIndex={-1} className="text-lg font-semibold outline-none">
                {title ?? words[step]}
            </h2>
            <div className="space-y-4">{children}</div>
            <Footer primary={primary} onBack={goBack} />
        </>
    );
}

/** The id of a screen's heading, which takes the focus when the screen is opened. */
export const STEP_HEADING = 'flow-import-step';

interface FooterProps {
    readonly primary: PrimaryAction | undefined;
    readonly onBack: (() => void) | undefined;
}

function Footer({ primary, onBack }: FooterProps): ReactNode {
    const { t } = useLingui();
    const { saving, step } = useWizard();
    const footer = useRef<HTMLDivElement>(null);
    useStickiness(footer);
    if (!primary && !onBack && saving.state === 'NONE') return null;
    return (
        <div
            ref={footer}
            className="sticky bottom-0 z-10 -mx-4 flex items-center gap-3 border-t bg-background px-4 py-3"
        >
            {onBack && (
                <Button variant="outline" className="max-md:h-11 max-md:w-11" onClick={onBack} aria-label={t`Back`}>
                    <ArrowLeftIcon aria-hidden />
                    <span className="max-md:hidden">
                        <Trans>Back</Trans>
                    </span>
                </Button>
            )}
            {step !== 'IMPORT' && <DraftStatus />}
            <div className="ml-auto flex items-center gap-3">
                {primary?.isDisabled && primary.reason && (
                    <span id="flow-import-blocked" className="text-sm text-muted-foreground">
                        {primary.reason}
                    </span>
                )}
                {primary && (
                    <Button
                        className="max-md:h-11"
                        disabled={primary.isDisabled}
                        aria-describedby={primary.isDisabled && primary.reason ? 'flow-import-blocked' : undefined}
                        aria-keyshortcuts="Control+Enter"
                        onClick={primary.onPress}
                    >
                        {primary.label}
                    </Button>
                )}
            </div>
        </div>
    );
}

/**
 * Lets the footer stick to the window. The host clips its main area by a scroll container, to which the footer would stick instead; `clip` hides
 * the same without one. The focused element is never scrolled under the footer.
 */
function useStickiness(footer: RefObject<HTMLElement | null>): void {
    useEffect(() => {
        const main = footer.current?.closest('main');
        if (!main) return undefined;
        const { style } = document.documentElement;
        main.style.overflowX = 'clip';
        style.scrollPaddingBottom = '5rem';
        return () => {
            main.style.overflowX = '';
            style.scrollPaddingBottom = '';
        };
    });
}

/** Whether the import can be left now and continued later. */
function DraftStatus(): ReactNode {
    const { saving } = useWizard();
    const isFailed = saving.state === 'FAILED';
    return (
        <div
            role="status"
            className={cn(
                'flex min-w-0 items-center gap-2 text-sm text-muted-foreground',
                isFailed && 'text-foreground',
            )}
        >
            {saving.state === 'SAVED' && (
                <>
                    <CheckIcon aria-hidden className="size-4 shrink-0 text-success" />
                    <Trans>Draft saved</Trans>
                </>
            )}
            {saving.state === 'PENDING' && <Trans>Saving the draft…</Trans>}
            {isFailed && <SavingFailed saving={saving} />}
        </div>
    );
}

function SavingFailed({ saving }: { readonly saving: DraftSaving }): ReactNode {
    const { message, code } = faultOf(saving.error);
    return (
        <>
            <CloudAlertIcon aria-hidden className="size-4 shrink-0 text-destructive" />
            {code === 'REVISION_CONFLICT' ? (
                <span className="min-w-0">
                    <Trans>This import was changed in another window.</Trans>{' '}
                    <Button variant="link" size="sm" onClick={() => location.reload()}>
                        <Trans>Load its latest version</Trans>
                    </Button>
                </span>
            ) : (
                <span className="min-w-0">
                    <Trans>The draft was not saved: {message}</Trans>{' '}
                    <Button variant="link" size="sm" onClick={() => void saving.saveNow().catch(() => undefined)}>
                        <Trans>Save again</Trans>
                    </Button>
                </span>
            )}
        </>
    );
}
