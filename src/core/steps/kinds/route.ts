import { parseConfig } from '../parse-config';
import { compileAsyncCondition } from '../async-condition';
import { routeStep } from '../route';
import { adviseRoute, branchesOf, DEFAULT_BRANCH, routeConfig } from '../route-config';
import { defineStepKind } from './step-kind';

/** The step kind ROUTE: sends records to branches by conditions. */
export const route = defineStepKind({
    kind: 'ROUTE',
    summary: 'Sends records to different branches.',
    remarks: `A record that matches no branch goes to the branch \`${DEFAULT_BRANCH}\`, which always exists. Records of a branch without an edge end here and count as filtered.`,
    frame: routeConfig,
    adapters: { form: 'none' },
    advise: adviseRoute,
    behind: 'records',
    branches: branchesOf,
    role: {
        as: 'work',
        compile({ key, config }, { probe, branches: leading }) {
            const { mode, branches: requested } = parseConfig(key, routeConfig, config);
            const branches = requested.map(({ name, when }) => ({ name, test: compileAsyncCondition(when) }));
            // In a step test, all of its branches are shown, including those that lead nowhere yet.
            const shown = (): readonly string[] =>
                probe ? [...requested.map(({ name }) => name), DEFAULT_BRANCH] : leading();
            return { key, open: env => routeStep(key, { mode, branches, ways: new Set(shown()) }).open(env) };
        },
    },
});
