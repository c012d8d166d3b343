import { useLingui } from '@lingui/react/macro';
import type { WizardStep } from './wizard-state';

/** The names of the screens. */
export function useStepWords(): Readonly<Record<WizardStep, string>> {
    const { t } = useLingui();
    return {
        FILE: t({ message: 'File', context: 'flow' }),
        TARGET: t({ message: 'Target', context: 'flow import' }),
        MAPPING: t({ message: 'Mapping', context: 'flow import' }),
        CHECK: t({ message: 'Check', context: 'flow import' }),
        IMPORT: t({ message: 'Import', context: 'flow import' }),
    };
}
