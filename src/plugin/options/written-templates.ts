import type { Registry } from '../../core/adapter/registry';
import { checkDefinition } from '../../core/pipeline/parse';
import type { PipelineTemplate } from '../../core/templates/pipeline-template';
import { unknownPermissions } from '../known-permissions';
import { isCheckedBeforeStart, rejectInvalid } from './written-pipelines';

/** What templates are checked with. */
interface TemplateCheck {
    readonly registry: Registry;
    readonly permissions: ReadonlySet<string>;
    /** Whether all plugins have registered their adapters. Until then, issues that these may resolve are not reported. */
    readonly isStarted: boolean;
}

/** Throws DEFINITION_INVALID with the issues of all templates whose definitions cannot be published. */
export function checkTemplates(
    templates: readonly PipelineTemplate[],
    { registry, permissions, isStarted }: TemplateCheck,
): void {
    const checked = templates.map(({ code, definition }) => {
        const { issues, written = {} } = checkDefinition(definition, registry);
        return { code, issues: [...issues, ...unknownPermissions(written, permissions)] };
    });
    rejectInvalid(
        'template',
        checked.filter(({ issues }) => isStarted || isCheckedBeforeStart(issues)),
    );
}
