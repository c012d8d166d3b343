import {
    CircleHelpIcon,
    DatabaseIcon,
    FileInputIcon,
    GitForkIcon,
    HandIcon,
    type LucideIcon,
    SendIcon,
    ShieldCheckIcon,
    WandSparklesIcon,
    ZapIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';

const ICONS: Readonly<Record<string, LucideIcon>> = {
    TRIGGER: ZapIcon,
    EXTRACT: FileInputIcon,
    TRANSFORM: WandSparklesIcon,
    VALIDATE: ShieldCheckIcon,
    ROUTE: GitForkIcon,
    LOAD: DatabaseIcon,
    SINK: SendIcon,
    GATE: HandIcon,
};

/** The sign of a kind of steps. */
export function KindIcon({ kind, className }: { readonly kind: string; readonly className?: string }): ReactNode {
    const Icon = ICONS[kind] ?? CircleHelpIcon;
    return <Icon aria-hidden className={className} />;
}
