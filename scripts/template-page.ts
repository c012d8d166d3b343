/** The reference page of the templates that come with Flow. */
import { builtinTemplates } from '../src/core/templates/builtin-templates';
import { TEMPLATE_GROUPS, type TemplateGroup } from '../src/core/templates/pipeline-template';
import { availableTemplates, type TemplateView } from '../src/plugin/api/template.resolver';
import { setUp } from '../src/plugin/setup';

const TITLES: Readonly<Record<TemplateGroup, string>> = {
    IMPORT: 'Import',
    SYNC: 'Sync',
    EXPORT: 'Export',
    FEEDS: 'Feeds',
    SEARCH: 'Search',
    AUTOMATION: 'Automation',
};
const guides: ReadonlyMap<string, string> = new Map(builtinTemplates.map(({ code, guide }) => [code, guide]));

/** A table for each group of templates. */
export function templatesPage(): string {
    const views = availableTemplates([], setUp({}).registry);
    return [
        '<!-- Generated from the source by scripts/docs.ts; changes here are lost. -->',
        '# Templates',
        'On the page **New pipeline**, a new pipeline can start with one of these templates. The query `flowPipelineTemplates` returns them with their definitions and sample data. Schedules and other triggers of a template become active when its pipeline is published.',
        'Add your own with the plugin option [`templates`](../guide/configuration.md#templates).',
        ...TEMPLATE_GROUPS.flatMap(group => [
            `## ${TITLES[group]}`,
            tableOf(views.filter(view => view.group === group)),
        ]),
    ]
        .map(part => `${part}\n`)
        .join('\n');
}

function tableOf(views: readonly TemplateView[]): string {
    const rows = views.map(
        ({ code, title, description, connections, secrets }) =>
            `| [${title}](../guide/${guides.get(code)!}) | \`${code}\` | ${description} | ${[
                ...connections.map(({ code: name, types }) => `connection \`${name}\` (${types.join(', ')})`),
                ...secrets.map(name => `secret \`${name}\``),
            ].join('<br>')} |`,
    );
    return ['| Template | Code | What it does | Needs |', '|---|---|---|---|', ...rows].join('\n');
}
