// The page: who looks, what at.
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { connect, dynamodb, NOBODY, type Keys } from './client';
import { Operations } from './operations';
import { Problem } from './parts';
import { link, useRoute } from './route';
import { TablePage } from './table';
import { Tables } from './tables';

function App() {
	const [who, setWho] = useState<string>();
	const [asked, setAsked] = useState(false);
	useEffect(() => {
		// A server that authenticates nobody asks for no key.
		enter(NOBODY).then(
			() => setWho('everybody'),
			() => setAsked(true),
		);
	}, []);
	if (who === undefined && !asked) return <p>Loading…</p>;
	if (who === undefined) return <SignIn entered={setWho} />;
	return <Page who={who} leave={() => (connect(NOBODY), setWho(undefined), setAsked(true))} />;
}

async function enter(keys: Keys): Promise<void> {
	connect(keys);
	try {
		await dynamodb.send(new ListTablesCommand({ Limit: 1 }));
	} catch (error) {
		// A key that may not list tables is a key.
		if ((error as Error).name !== 'AccessDeniedException') throw error;
	}
}

function SignIn({ entered }: { entered: (who: string) => void }) {
	const [error, setError] = useState<unknown>();
	const submit = async (e: SubmitEvent) => {
		e.preventDefault();
		const data = new FormData(e.currentTarget as HTMLFormElement);
		const text = (name: string) => String(data.get(name) ?? '').trim();
		const keys = { accessKeyId: text('id'), secretAccessKey: text('secret'), region: text('region') || 'us-east-1' };
		try {
			await enter(keys);
			entered(keys.accessKeyId);
		} catch (error) {
			setError(error);
		}
	};
	return (
		<main class="sign-in">
			<h1>dynamo</h1>
			<p>Requests are signed in this tab with an access key, and can do what the key may. The key is forgotten when you sign out, or the tab is closed.</p>
			<form onSubmit={submit}>
				<label>
					Access key ID <input name="id" required autocomplete="off" spellcheck={false} />
				</label>
				<label>
					Secret access key <input name="secret" type="password" required autocomplete="off" />
				</label>
				<label>
					Region <input name="region" value="us-east-1" autocomplete="off" spellcheck={false} />
				</label>
				<button>Sign in</button>
				<Problem error={error} />
			</form>
		</main>
	);
}

function Page({ who, leave }: { who: string; leave: () => void }) {
	const route = useRoute();
	const [kind, name, tab = 'explore'] = route.path;
	useEffect(() => {
		document.title = kind === 'table' && name ? `${name} – dynamo` : kind === 'operations' ? 'Operations – dynamo' : 'dynamo';
	}, [kind, name]);
	return (
		<>
			<header class="top">
				<nav aria-label="Where you are">
					<a href={link([])} aria-current={kind === undefined ? 'page' : undefined}>
						Tables
					</a>
					<a href={link(['operations'])} aria-current={kind === 'operations' ? 'page' : undefined}>
						Operations
					</a>
					{kind === 'table' && name && (
						<>
							<span aria-hidden="true">/</span>
							<a href={link(['table', name])}>{name}</a>
						</>
					)}
				</nav>
				<span>
					{who === 'everybody' ? 'No key needed' : who}{' '}
					<button type="button" class="quiet" onClick={leave}>
						{who === 'everybody' ? 'Use a key' : 'Sign out'}
					</button>
				</span>
			</header>
			<main>{kind === 'table' && name ? <TablePage key={name} name={name} tab={tab} query={route.query} /> : kind === 'operations' ? <Operations query={route.query} /> : <Tables query={route.query} />}</main>
		</>
	);
}

render(<App />, document.getElementById('app')!);
