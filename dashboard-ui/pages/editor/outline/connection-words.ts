import { useLingui } from '@lingui/react/macro';
import { useCallback } from 'react';
import type { NoConnection } from '../model/edits';

/** Why two steps cannot be connected, and what can be done. */
export function useConnectionWords(): (problem: NoConnection) => string {
    const { t } = useLingui();
    return useCallback(
        problem => {
            switch (problem) {
                case 'itself':
                    return t`A step cannot lead to itself.`;
                case 'twice':
                    return t`These two are connected already.`;
                case 'circle':
                    return t`That would lead in a circle: records never come back to a step that they have passed.`;
                case 'start':
                    return t`Nothing leads to a trigger: runs begin there.`;
            }
        },
        [t],
    );
}
