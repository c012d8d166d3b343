import { type DashboardRouteDefinition, PermissionGuard, Skeleton, usePermissions } from '@vendure/dashboard';
import { type ComponentType, lazy, type ReactElement, type ReactNode, Suspense } from 'react';
import { NotAllowed } from './not-allowed';
import { PageBoundary } from './page-boundary';

type Route = Parameters<DashboardRouteDefinition['component']>[0];

/** What a page is given: the host's route, for its parameters and search. */
export interface FlowPageProps {
    readonly route: Route;
}

/** A way back in the breadcrumb: a page further up, or this one, which needs no path. */
export interface Crumb {
    readonly path?: string;
    readonly label: ReactElement;
}

/** A page of Flow. */
export interface FlowRoute {
    /** Below `/flow`, with `$id` for a parameter; empty for the first page. */
    readonly path: string;
    /** Any one of these permissions opens it. */
    readonly requires: readonly string[];
    /** Loaded when the page is opened for the first time: nothing of it is in the host's own bundle. */
    readonly page: () => Promise<{ readonly default: ComponentType<FlowPageProps> }>;
    /** Below the section, given the parameters of the path. */
    readonly breadcrumb: (params: Readonly<Record<string, string>>) => readonly Crumb[];
    /** Its line in the navigation: a key of the texts, and its place among the others. */
    readonly nav?: { readonly title: string; readonly order: number };
}

/** The route of a page. Permission, loading and error boundary are the same for all pages. */
export function flowRoute({ path, requires, page, breadcrumb, nav }: FlowRoute): DashboardRouteDefinition {
    // The first page has its own segment, because the host marks a navigation item for all pages below its address.
    const url = `/flow/${path || 'overview'}`;
    const Page = lazy(page);
    return {
        path: url,
        // The host takes the element alone for the page that is open.
        loader: ({ params }) => ({
            breadcrumb: breadcrumb(params).map(({ path: to, label }) =>
                to === undefined ? label : { path: to, label },
            ),
        }),
        ...(nav && {
            navMenuItem: {
                sectionId: 'flow',
                id: `flow-${path === '' ? 'overview' : path}`,
                title: nav.title,
                order: nav.order,
                url,
                requiresPermission: [...requires],
            },
        }),
        component: route => (
            <PageBoundary>
                <Guarded requires={requires}>
                    <Suspense fallback={<Opening />}>
                        <Page route={route} />
                    </Suspense>
                </Guarded>
            </PageBoundary>
        ),
    };
}

/** The server rejects it too; the page shows the reason instead of staying empty. */
function Guarded({
    requires,
    children,
}: {
    readonly requires: readonly string[];
    readonly children: ReactNode;
}): ReactNode {
    const { hasPermissions } = usePermissions();
    if (!hasPermissions([...requires])) return <NotAllowed requires={requires} />;
    return <PermissionGuard requires={[...requires]}>{children}</PermissionGuard>;
}

function Opening(): ReactNode {
    return (
        <div className="m-4 space-y-4" aria-busy="true">
            <Skeleton className="h-8 w-64" />
            <Skeleton className="h-64 w-full" />
        </div>
    );
}
