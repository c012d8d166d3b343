import * as page from '../dashboard-ui/pages/import/import-plan';
import type * as server from '../src/core/import/import-plan';
import { TARGET_FIELDS } from '../src/core/import/target-fields';

type AreSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** Does not compile if a type of the dashboard is no longer that of the server. */
const areSame: Readonly<Record<string, true>> = {
    plan: true satisfies AreSame<page.ImportPlan, server.ImportPlan>,
    planKeys: true satisfies AreSame<keyof page.ImportPlan, keyof server.ImportPlan>,
    factKeys: true satisfies AreSame<keyof page.ImportFacts, keyof server.ImportPlan['facts']>,
    fieldKeys: true satisfies AreSame<keyof page.PlannedField, keyof server.PlannedField>,
    variantKeys: true satisfies AreSame<keyof page.PlannedVariants, keyof server.PlannedVariants>,
    conversion: true satisfies AreSame<page.Conversion, server.Conversion>,
    remedy: true satisfies AreSame<page.Remedy, server.Remedy>,
    source: true satisfies AreSame<page.ImportSource, server.ImportSource>,
};

describe('the plan of an import', () => {
    it('has the same targets on the page and on the server', () => {
        expect([...page.IMPORT_TARGETS].sort()).toEqual(Object.keys(TARGET_FIELDS).sort());
        expect(Object.values(areSame)).not.toContain(false);
    });
});
