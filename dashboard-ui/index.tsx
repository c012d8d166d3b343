import { defineDashboardExtension } from '@vendure/dashboard';
import { WorkflowIcon } from 'lucide-react';
import { completeTexts } from './i18n/complete-texts';
import { loadServerTexts } from './i18n/use-server-texts';
import { attentionWidget, exportActions, importActions, productHistoryBlock } from './places/places';
import { routes } from './routes';

completeTexts();
loadServerTexts();

defineDashboardExtension({
    navSections: [{ id: 'flow', title: 'flow.nav', icon: WorkflowIcon, order: 450 }],
    routes,
    widgets: [attentionWidget],
    pageBlocks: [productHistoryBlock],
    actionBarItems: [...importActions, ...exportActions],
});
