import { Button } from '@vendure/dashboard';
import type { ReactNode } from 'react';

interface IconButtonProps {
    readonly label: string;
    readonly isOff?: boolean;
    readonly onPress: () => void;
    readonly children: ReactNode;
}

/** A button with an icon and a name. */
export function IconButton({ label, isOff = false, onPress, children }: IconButtonProps): ReactNode {
    return (
        <Button
            type="button"
            variant="ghost"
            size="icon-sm"
            aria-label={label}
            title={label}
            disabled={isOff}
            onClick={onPress}
        >
            {children}
        </Button>
    );
}
