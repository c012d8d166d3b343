import { useLingui } from '@lingui/react/macro';
import { placeText } from './place-text';

/** Where in its source a record stands, in the language of the page; undefined where nobody knows. */
export function usePlaceText(): (place: string | null | undefined) => string | undefined {
    const { i18n } = useLingui();
    return place => (place ? placeText(i18n, place) : undefined);
}
