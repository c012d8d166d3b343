import {
    BellIcon,
    BoxIcon,
    CloudIcon,
    DatabaseIcon,
    FileIcon,
    GlobeIcon,
    type LucideIcon,
    MailIcon,
    MessageSquareIcon,
    PackageIcon,
    RadioIcon,
    SearchIcon,
    SendIcon,
    ServerIcon,
    ShoppingCartIcon,
    StoreIcon,
    TruckIcon,
    UploadIcon,
    WarehouseIcon,
    WebhookIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';

/** The icons of SINK_ICONS; the dashboard would grow by a megabyte with all icons of lucide. */
export const ICONS: Readonly<Record<string, LucideIcon>> = {
    bell: BellIcon,
    box: BoxIcon,
    cloud: CloudIcon,
    database: DatabaseIcon,
    file: FileIcon,
    globe: GlobeIcon,
    mail: MailIcon,
    'message-square': MessageSquareIcon,
    package: PackageIcon,
    radio: RadioIcon,
    search: SearchIcon,
    send: SendIcon,
    server: ServerIcon,
    'shopping-cart': ShoppingCartIcon,
    store: StoreIcon,
    truck: TruckIcon,
    upload: UploadIcon,
    warehouse: WarehouseIcon,
    webhook: WebhookIcon,
};

interface AdapterIconProps {
    readonly name: string | null | undefined;
    readonly className?: string;
    /** Shown where there is no such icon. */
    readonly fallback?: ReactNode;
}

/** The icon that an adapter names. */
export function AdapterIcon({ name, className, fallback = null }: AdapterIconProps): ReactNode {
    const Icon = name != null && Object.hasOwn(ICONS, name) ? ICONS[name] : undefined;
    return Icon ? <Icon aria-hidden className={className} /> : fallback;
}
