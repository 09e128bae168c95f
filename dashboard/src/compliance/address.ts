import { textsAddress } from '../lib/address';

/** Addresses of the view, below the base of the pages. */
export const PATH = '/compliance';
export const SCOPE_PATH = `${PATH}/scope`;

/** What the list shows, and the control whose page is shown in its place. */
export const ADDRESS = textsAddress(['framework', 'status', 'serverInstanceName', 'asOf', 'page', 'control']);
type State = ReturnType<typeof ADDRESS.parse>;

/** The address of a view, below the base of the pages. */
export const hrefOf = (state: State): string => {
  const query = ADDRESS.format(state);
  return query ? `${PATH}?${query}` : PATH;
};
