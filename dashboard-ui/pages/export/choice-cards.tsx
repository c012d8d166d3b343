import { cn, Label, RadioGroup, RadioGroupItem } from '@vendure/dashboard';
import { type ReactNode, useId } from 'react';
import type { ChoiceWords } from './export-words';

interface ChoiceCardsProps<T extends string> {
    readonly label: string;
    readonly choices: readonly T[];
    readonly words: Readonly<Record<T, ChoiceWords>>;
    readonly value: T;
    readonly onChange: (value: T) => void;
}

/** One of a few choices, each with an explanation. */
export function ChoiceCards<T extends string>({
    label,
    choices,
    words,
    value,
    onChange,
}: ChoiceCardsProps<T>): ReactNode {
    const id = useId();
    return (
        <RadioGroup
            aria-label={label}
            className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3"
            value={value}
            onValueChange={next => onChange(next as T)}
        >
            {choices.map(choice => (
                <Label
                    key={choice}
                    htmlFor={`${id}-${choice}`}
                    className={cn(
                        'flex cursor-pointer items-start gap-3 rounded-md border bg-card p-3 font-normal',
                        choice === value && 'border-primary bg-accent',
                    )}
                >
                    <RadioGroupItem
                        id={`${id}-${choice}`}
                        value={choice}
                        className="mt-0.5"
                        aria-labelledby={`${id}-${choice}-name`}
                        aria-describedby={`${id}-${choice}-help`}
                    />
                    <span className="min-w-0 space-y-1">
                        <span id={`${id}-${choice}-name`} className="block font-medium">
                            {words[choice].name}
                        </span>
                        <span
                            id={`${id}-${choice}-help`}
                            className={cn('block text-sm', choice !== value && 'text-muted-foreground')}
                        >
                            {words[choice].help}
                        </span>
                    </span>
                </Label>
            ))}
        </RadioGroup>
    );
}
