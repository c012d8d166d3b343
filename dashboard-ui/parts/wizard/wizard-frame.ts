import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

/** A screen of a wizard. */
export interface FrameStep {
    readonly key: string;
    readonly name: string;
    /** Whether everything that the screen needs is there. */
    readonly isReachable: boolean;
}

/** What the frame of a wizard shows: its screens, the one that is open, and how to open another. */
export interface WizardFrame {
    /** The name of the list of screens, for screen readers. */
    readonly label: string;
    readonly steps: readonly FrameStep[];
    readonly shown: string;
    /** Shows a screen, and adds it to the history of the browser. */
    readonly open: (step: string) => void;
    /** Whether the wizard has done what it is for: its screens cannot be changed any more. */
    readonly isFinished?: boolean;
    /** Next to the buttons of a screen, for example whether a draft was saved. */
    readonly status?: ReactNode;
}

/** The frame that the screens of a wizard are in. */
export const WizardFrameContext = createContext<WizardFrame | undefined>(undefined);

/** The frame around a component. */
export function useWizardFrame(): WizardFrame {
    const frame = useContext(WizardFrameContext);
    if (!frame) throw new Error('This component belongs into a wizard.');
    return frame;
}

/** The id of a screen's heading, which takes the focus when the screen is opened. */
export const STEP_HEADING = 'flow-wizard-step';

/** The heading of a screen takes the focus, except that of the first one. */
export function useFocusOnStep(step: string): void {
    const before = useRef(step);
    useEffect(() => {
        if (before.current === step) return;
        before.current = step;
        document.getElementById(STEP_HEADING)?.focus();
        scrollTo({ top: 0 });
    }, [step]);
}
