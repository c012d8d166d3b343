import { useLingui } from '@lingui/react/macro';
import type { FormFault } from './faults';

/** Says what is wrong with a field and what is allowed. */
export function useFaultText(): (fault: FormFault) => string {
    const { t } = useLingui();
    return ({ problem, limit = 0 }) => {
        switch (problem) {
            case 'missing':
                return t`Required.`;
            case 'short':
                return limit === 1 ? t`Required.` : t`At least ${limit} characters.`;
            case 'long':
                return t`At most ${limit} characters.`;
            case 'small':
                return t`At least ${limit}.`;
            case 'large':
                return t`At most ${limit}.`;
            case 'few':
                return limit === 1 ? t`At least one entry.` : t`At least ${limit} entries.`;
            case 'many':
                return t`At most ${limit} entries.`;
            case 'type':
                return t`This value has the wrong type.`;
            case 'shape':
                return t`Invalid format.`;
        }
    };
}
