import { automationTemplates } from './automation-templates';
import { exportTemplates } from './export-templates';
import { importTemplates } from './import-templates';
import { type BuiltinTemplate, TEMPLATE_GROUPS } from './pipeline-template';
import { searchTemplates } from './search-templates';
import { shopApiTemplates } from './shop-api-templates';
import { syncTemplates } from './sync-templates';

const all: readonly BuiltinTemplate[] = [
    ...importTemplates,
    ...syncTemplates,
    ...shopApiTemplates,
    ...exportTemplates,
    ...searchTemplates,
    ...automationTemplates,
];

/** The templates of Flow, by group. The dashboard, the API, the documentation and the tests are derived from them. */
export const builtinTemplates: readonly BuiltinTemplate[] = TEMPLATE_GROUPS.flatMap(group =>
    all.filter(template => template.group === group),
);
