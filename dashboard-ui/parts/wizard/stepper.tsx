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
import { type FrameStep, useWizardFrame } from './wizard-frame';

/** The screens in their order. Those whose data is there are links. */
export function Stepper(): ReactNode {
    const { label, steps } = useWizardFrame();
    return (
        <nav aria-label={label}>
            <ol className="hidden flex-wrap items-center gap-x-1 gap-y-2 md:flex">
                {steps.map((step, at) => (
                    <StepItem key={step.key} step={step} at={at} />
                ))}
            </ol>
            <div className="md:hidden">
                <StepMenu />
            </div>
        </nav>
    );
}

const STEP_LOOK = 'flex min-h-8 items-center gap-2 rounded-md px-2 text-sm';

function StepItem({ step, at }: { readonly step: FrameStep; readonly at: number }): ReactNode {
    const { steps, shown } = useWizardFrame();
    const { key, name, isReachable } = step;
    const isShown = key === shown;
    const isPassed = at < steps.findIndex(one => one.key === shown);
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
            {name}
        </>
    );
    return (
        <li className="flex items-center gap-1">
            {at > 0 && <span aria-hidden className="h-px w-4 bg-border lg:w-8" />}
            {isReachable ? (
                <Link
                    to="."
                    search={((old: object) => ({ ...old, step: key })) as never}
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
    const { steps, shown, open } = useWizardFrame();
    const at = steps.findIndex(({ key }) => key === shown);
    const number = at + 1;
    const count = steps.length;
    const name = steps[at]?.name ?? '';
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
                {steps.map((step, index) => (
                    <DropdownMenuItem
                        key={step.key}
                        className="min-h-11"
                        disabled={!step.isReachable}
                        aria-current={step.key === shown ? 'step' : undefined}
                        onClick={() => open(step.key)}
                    >
                        <span className="tabular-nums">{index + 1}</span> {step.name}
                    </DropdownMenuItem>
                ))}
            </DropdownMenuContent>
        </DropdownMenu>
    );
}
