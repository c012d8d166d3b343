import { createContext, type Dispatch, useContext } from 'react';
import type { DraftSaving } from './use-draft-saving';
import type { FileReading } from './use-file-reading';
import type { ImportResult, WizardAction, WizardState, WizardStep } from './wizard-state';

/** What the screens of the wizard share. */
export interface Wizard {
    readonly state: WizardState;
    readonly dispatch: Dispatch<WizardAction>;
    /** The screen that is shown. */
    readonly step: WizardStep;
    /** Shows a screen, and adds it to the history of the browser. */
    readonly open: (step: WizardStep) => void;
    /** Shows the result of the import. The address names it, so that a reload shows it again. */
    readonly finish: (result: ImportResult) => void;
    /** Begins another import. The draft of this one stays. */
    readonly startOver: () => void;
    readonly reading: FileReading;
    readonly saving: DraftSaving;
}

/** The wizard that a screen belongs to. */
export const WizardContext = createContext<Wizard | undefined>(undefined);

/** The wizard around a component. */
export function useWizard(): Wizard {
    const wizard = useContext(WizardContext);
    if (!wizard) throw new Error('This component belongs into the import wizard.');
    return wizard;
}
