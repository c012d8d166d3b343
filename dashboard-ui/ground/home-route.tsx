import { type DashboardRouteDefinition, useNavigate } from '@vendure/dashboard';
import { useEffect } from 'react';

/** Redirects `/flow` to the first page. */
export const homeRoute: DashboardRouteDefinition = { path: '/flow', component: () => <ToOverview /> };

function ToOverview(): null {
    const navigate = useNavigate();
    useEffect(() => void navigate({ to: '/flow/overview', replace: true }), [navigate]);
    return null;
}
