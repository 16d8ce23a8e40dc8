// Every state of the page is in its address: #/table/Shop/explore?pk=a
import { useEffect, useState } from 'preact/hooks';

export interface Route {
	path: string[];
	query: URLSearchParams;
}

export function parseRoute(hash: string): Route {
	const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
	return { path: path.split('/').filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query) };
}

export function link(path: string[], query?: Record<string, string | undefined>): string {
	const params = new URLSearchParams();
	for (const [name, value] of Object.entries(query ?? {})) if (value) params.set(name, value);
	const text = params.toString();
	return '#/' + path.map(encodeURIComponent).join('/') + (text ? '?' + text : '');
}

export function go(path: string[], query?: Record<string, string | undefined>): void {
	location.hash = link(path, query);
}

export function useRoute(): Route {
	const [route, setRoute] = useState(() => parseRoute(location.hash));
	useEffect(() => {
		const changed = () => setRoute(parseRoute(location.hash));
		addEventListener('hashchange', changed);
		return () => removeEventListener('hashchange', changed);
	}, []);
	return route;
}
