import { useLingui } from '@lingui/react/macro';
import {
    Button,
    cn,
    DropdownMenu,
    DropdownMenuContent,
    DropdownMenuItem,
    DropdownMenuTrigger,
    Link,
} from '@vendure/dashboard';
import { CheckIcon, ChevronDownIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useWizard } from '../wizard-context';
import { isReachable, STEPS, type WizardStep } from '../wizard-state';
import { useStepWords } from './step-words';

/** The screens in their order. Those whose data is there are links. */
export function Stepper(): ReactNode {
    const { t } = useLingui();
    return (
        <nav aria-label={t`Steps of the import`}>
            <ol className="hidden flex-wrap items-center gap-x-1 gap-y-2 md:flex">
                {STEPS.map((step, at) => (
                    <StepItem key={step} step={step} at={at} />
                ))}
            </ol>
            <div className="md:hidden">
                <StepMenu />
            </div>
        </nav>
    );
}

const STEP_LOOK = 'flex min-h-8 items-center gap-2 rounded-md px-2 text-sm';

function StepItem({ step, at }: { readonly step: WizardStep; readonly at: number }): ReactNode {
    const words = useStepWords();
    const { state, step: shown } = useWizard();
    const isShown = step === shown;
    const isPassed = at < STEPS.indexOf(shown);
    const content = (
        <>
            <span
                aria-hidden
                className={cn(
                    'flex size-6 items-center justify-center rounded-full border text-xs tabular-nums',
                    isShown && 'border-primary bg-primary text-primary-foreground',
                )}
            >
                {isPassed ? <CheckIcon className="size-3.5" /> : at + 1}
            </span>
            {words[step]}
        </>
    );
    return (
        <li className="flex items-center gap-1">
            {at > 0 && <span aria-hidden className="h-px w-4 bg-border lg:w-8" />}
            {isReachable(state, step) ? (
                <Link
                    to="."
                    search={((old: object) => ({ ...old, step })) as never}
                    aria-current={isShown ? 'step' : undefined}
                    className={cn(STEP_LOOK, 'hover:bg-muted', isShown && 'font-semibold')}
                >
                    {content}
                </Link>
            ) : (
                <span className={cn(STEP_LOOK, 'text-muted-foreground')} aria-disabled>
                    {content}
                </span>
            )}
        </li>
    );
}

/** On a phone: the screen that is shown, with a menu of all of them. */
function StepMenu(): ReactNode {
    const { t } = useLingui();
    const words = useStepWords();
    const { state, step: shown, open } = useWizard();
    const number = STEPS.indexOf(shown) + 1;
    const count = STEPS.length;
    const name = words[shown];
    return (
        <DropdownMenu>
            <DropdownMenuTrigger
                render={
                    <Button variant="outline" className="h-11 w-full justify-between">
                        {t`Step ${number} of ${count}: ${name}`}
                        <ChevronDownIcon aria-hidden />
                    </Button>
                }
            />
            <DropdownMenuContent align="start">
                {STEPS.map((step, at) => (
                    <DropdownMenuItem
                        key={step}
                        className="min-h-11"
                        disabled={!isReachable(state, step)}
                        aria-current={step === shown ? 'step' : undefined}
                        onClick={() => open(step)}
                    >
                        <span className="tabular-nums">{at + 1}</span> {words[step]}
                    </DropdownMenuItem>
                ))}
            </DropdownMenuContent>
        </DropdownMenu>
    );
}
