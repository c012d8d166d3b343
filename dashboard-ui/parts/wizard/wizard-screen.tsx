import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@vendure/dashboard';
import { ArrowLeftIcon } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useStepKeys } from './use-step-keys';
import { STEP_HEADING, useWizardFrame } from './wizard-frame';

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
    const { steps, shown, open, isFinished } = useWizardFrame();
    const at = steps.findIndex(({ key }) => key === shown);
    const before = steps[at - 1];
    const goBack = before && !isFinished ? () => open(before.key) : undefined;
    useStepKeys({ onPrimary: primary && !primary.isDisabled ? primary.onPress : undefined, onBack: goBack });
    return (
        <>
            <h2 id={STEP_HEADING} tabIndex={-1} className="text-lg font-semibold outline-none">
                {title ?? steps[at]?.name}
            </h2>
            <div className="space-y-4">{children}</div>
            <Footer primary={primary} onBack={goBack} />
        </>
    );
}

interface FooterProps {
    readonly primary: PrimaryAction | undefined;
    readonly onBack: (() => void) | undefined;
}

function Footer({ primary, onBack }: FooterProps): ReactNode {
    const { t } = useLingui();
    const { status } = useWizardFrame();
    const footer = useRef<HTMLDivElement>(null);
    useStickiness(footer);
    if (!primary && !onBack && !status) return null;
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
            {status}
            <div className="ml-auto flex items-center gap-3">
                {primary?.isDisabled && primary.reason && (
                    <span id="flow-wizard-blocked" className="text-sm text-muted-foreground">
                        {primary.reason}
                    </span>
                )}
                {primary && (
                    <Button
                        className="max-md:h-11"
                        disabled={primary.isDisabled}
                        aria-describedby={primary.isDisabled && primary.reason ? 'flow-wizard-blocked' : undefined}
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
        // Without a scroll container, the main area would be as wide as its widest content.
        main.style.minWidth = '0';
        style.scrollPaddingBottom = '5rem';
        return () => {
            main.style.overflowX = '';
            main.style.minWidth = '';
            style.scrollPaddingBottom = '';
        };
    });
}
