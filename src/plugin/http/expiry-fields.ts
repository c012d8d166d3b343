import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { DEFAULT_EXPIRY, type Expiry, MAX_EXPIRY_MINUTES } from '../files/expiry';
import { wholeJsonNumber, wholeNumberOf } from './whole-number';

/** The fields of an upload that define how long the file is kept. */
export const EXPIRY_FIELDS = ['expiresInMinutes', 'persistent'] as const;

/** The fields as they were sent; undefined if they were not. */
type ExpiryFields = Readonly<Partial<Record<(typeof EXPIRY_FIELDS)[number], unknown>>>;

const MINUTES = { name: 'expiresInMinutes', min: 1, max: MAX_EXPIRY_MINUTES };

/** The expiry in a form, where all values are texts. Throws INPUT_INVALID. */
export function expiryOfForm({ expiresInMinutes, persistent }: ExpiryFields): Expiry {
    return together(
        expiresInMinutes === undefined ? undefined : wholeNumberOf(expiresInMinutes, MINUTES),
        persistent === undefined
            ? undefined
            : flag(
                  new Map<unknown, boolean>([
                      ['true', true],
                      ['false', false],
                  ]),
                  persistent,
              ),
    );
}

/** The expiry in a JSON body, with numbers and booleans. Throws INPUT_INVALID. */
export function expiryOfJson({ expiresInMinutes, persistent }: ExpiryFields): Expiry {
    return together(
        expiresInMinutes === undefined ? undefined : wholeJsonNumber(expiresInMinutes, MINUTES),
        persistent === undefined
            ? undefined
            : flag(
                  new Map<unknown, boolean>([
                      [true, true],
                      [false, false],
                  ]),
                  persistent,
              ),
    );
}

function together(minutes: number | undefined, persistent: boolean | undefined): Expiry {
    if (minutes !== undefined && persistent) {
        throw flowError('INPUT_INVALID', {
            problem: 'expiresInMinutes and persistent are both set; allowed: one of them',
        });
    }
    if (persistent) return 'persistent';
    return minutes === undefined ? DEFAULT_EXPIRY : { minutes };
}

function flag(spellings: ReadonlyMap<unknown, boolean>, given: unknown): boolean {
    const value = spellings.get(given);
    if (value === undefined)
        throw flowError('INPUT_INVALID', { problem: `persistent is ${show(given)}; allowed: true or false` });
    return value;
}
