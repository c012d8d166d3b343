import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, Button, Page, PageTitle, useNavigate } from '@vendure/dashboard';
import { HistoryIcon } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { Loading } from '../../parts/loading';
import { useSearch } from '../../parts/use-search';
import { Stepper } from '../../parts/wizard/stepper';
import { useFocusOnStep, type WizardFrame, WizardFrameContext } from '../../parts/wizard/wizard-frame';
import { DestinationScreen } from './destination-screen';
import { ExportContext } from './export-context';
import { type ExportPlan, type ExportShop, isChosen, missingOf } from './export-plan';
import { FormatScreen } from './format-screen';
import { ResultScreen } from './result-screen';
import type { ExportResult } from './use-create-export';
import { useExportShop } from './use-export-shop';
import { useUnfinishedExport } from './use-unfinished-export';
import { WhatScreen } from './what-screen';

const STEPS = ['WHAT', 'FORMAT', 'DESTINATION'] as const;
type Step = (typeof STEPS)[number];

/** From the shop to a file: what, in which format, where and when? */
export default function ExportPage(): ReactNode {
    const shop = useExportShop();
    return (
        <Page pageId="flow-export">
            <PageTitle>
                <Trans context="flow export">Export</Trans>
            </PageTitle>
            {shop ? <ExportWizard shop={shop} /> : <Loading className="h-96" />}
        </Page>
    );
}

/** The state of the wizard. The address names the screen, and what the user came for. */
function ExportWizard({ shop }: { readonly shop: ExportShop }): ReactNode {
    const [search] = useSearch();
    const navigate = useNavigate();
    const { plan, name, isRestored, change, rename, startOver, finish } = useUnfinishedExport(shop);
    const [result, setResult] = useState<ExportResult>();
    const step = openStep(plan, search['step']);
    const open = useCallback(
        (next: string): void =>
            void navigate({ to: '.', search: ((old: object) => ({ ...old, step: next })) as never }),
        [navigate],
    );
    const wizard = useMemo(() => ({ plan, shop, open, change }), [plan, shop, open, change]);
    const end = (made: ExportResult): void => {
        finish();
        setResult(made);
        // A reload begins another export instead of showing the last screen of this one.
        void navigate({ to: '.', search: {} as never, replace: true });
    };
    const beginAgain = (): void => {
        startOver();
        setResult(undefined);
        open('WHAT');
    };
    useFocusOnStep(result ? 'RESULT' : step);
    const frame = useFrame(plan, step, open);
    return (
        <ExportContext value={wizard}>
            <WizardFrameContext value={result ? { ...frame, steps: [] } : frame}>
                <div className="space-y-4">
                    {result ? (
                        <ResultScreen result={result} onStartOver={beginAgain} />
                    ) : (
                        <>
                            <Stepper />
                            {isRestored && <Restored onStartOver={beginAgain} />}
                            {step === 'WHAT' && <WhatScreen />}
                            {step === 'FORMAT' && <FormatScreen />}
                            {step === 'DESTINATION' && <DestinationScreen name={name} onRename={rename} onDone={end} />}
                        </>
                    )}
                </div>
            </WizardFrameContext>
        </ExportContext>
    );
}

function Restored({ onStartOver }: { readonly onStartOver: () => void }): ReactNode {
    return (
        <Alert>
            <HistoryIcon aria-hidden />
            <AlertTitle>
                <Trans>Your unfinished export was restored.</Trans>
            </AlertTitle>
            <AlertDescription>
                <Button variant="outline" size="sm" className="max-md:h-11" onClick={onStartOver}>
                    <Trans>Start over</Trans>
                </Button>
            </AlertDescription>
        </Alert>
    );
}

/** Whether everything that a screen needs is there. */
function isReachable(plan: ExportPlan, step: Step): boolean {
    if (step === 'WHAT') return true;
    return isChosen(plan) && (step === 'FORMAT' || missingOf(plan) !== 'FEED');
}

/** The requested screen, or the last one before it that can be shown. */
function openStep(plan: ExportPlan, requested: string | undefined): Step {
    const last = Math.max(0, STEPS.indexOf(requested as Step));
    return STEPS.slice(0, last + 1).findLast(step => isReachable(plan, step)) ?? 'WHAT';
}

/** The screens as the frame shows them. */
function useFrame(plan: ExportPlan, shown: Step, open: (step: string) => void): WizardFrame {
    const { t } = useLingui();
    const names: Readonly<Record<Step, string>> = {
        WHAT: t({ message: 'What', context: 'flow export' }),
        FORMAT: t({ message: 'Format', context: 'flow export' }),
        DESTINATION: t({ message: 'Where and when', context: 'flow export' }),
    };
    return {
        label: t`Steps of the export`,
        steps: STEPS.map(key => ({ key, name: names[key], isReachable: isReachable(plan, key) })),
        shown,
        open,
    };
}
