import { createContext, useContext } from 'react';
import type { ExportPlan, ExportShop } from './export-plan';

/** What the screens of the wizard share. */
export interface ExportWizard {
    readonly plan: ExportPlan;
    readonly shop: ExportShop;
    readonly change: (changes: Partial<ExportPlan>) => void;
    readonly open: (step: string) => void;
}

/** The wizard that a screen belongs to. */
export const ExportContext = createContext<ExportWizard | undefined>(undefined);

/** The wizard around a component. */
export function useExport(): ExportWizard {
    const wizard = useContext(ExportContext);
    if (!wizard) throw new Error('This component belongs into the export wizard.');
    return wizard;
}
