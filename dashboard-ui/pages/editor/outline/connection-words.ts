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
                    return t`A step cannot be connected to itself.`;
                case 'twice':
                    return t`These steps are already connected.`;
                case 'circle':
                    return t`This would create a cycle. A pipeline cannot contain cycles.`;
                case 'start':
                    return t`A trigger has no incoming connections: runs start there.`;
            }
        },
        [t],
    );
}
