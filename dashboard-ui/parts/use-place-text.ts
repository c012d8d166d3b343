import { useLingui } from '@lingui/react/macro';
import { placeText } from './place-text';

/** The place of a record in its source, in the language of the page; undefined if it is unknown. */
export function usePlaceText(): (place: string | null | undefined) => string | undefined {
    const { i18n } = useLingui();
    return place => (place ? placeText(i18n, place) : undefined);
}
