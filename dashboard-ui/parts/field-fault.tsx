import { FieldError } from '@vendure/dashboard';
import { CircleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { faultOf } from '../ground/fault';

interface FieldFaultProps {
    /** What the field names in `aria-describedby`. */
    readonly id: string;
    readonly fault: unknown;
    /** What can be done about it. */
    readonly children?: ReactNode;
}

/** What the server says about a field. The host's red is too dark for texts in dark mode, so that the icon alone has it. */
export function FieldFault({ id, fault, children }: FieldFaultProps): ReactNode {
    return (
        <FieldError id={id} className="flex gap-2 text-foreground">
            <CircleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-destructive" />
            <span className="min-w-0 break-words">
                {faultOf(fault).message} {children}
            </span>
        </FieldError>
    );
}
