"""Carries out a Dockerfile without docker, as root: each stage is a folder, RUN is a
chroot into it.

What FROM names is made by a function of the caller's.  An instruction that is not
known here is an error, so that nothing of the file is passed over in silence.
"""
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import time


def lines(text):
    """The instructions: continued lines as one, without comments."""
    text = re.sub(r'^\s*#.*\n', '', text, flags=re.M)
    for line in re.sub(r'\\\n', ' ', text).splitlines():
        if line.strip():
            word, rest = line.strip().split(None, 1)
            yield word.upper(), rest.strip()


def expand(text, values):
    return re.sub(r'\$\{(\w+)\}|\$(\w+)', lambda m: values.get(m[1] or m[2], ''), text)


def pattern(rule):
    """Of a .dockerignore: a star is within a name, two are any folders."""
    parts = re.split(r'(\*\*/|\*|\?)', rule)
    meaning = {'**/': '(?:.*/)?', '*': '[^/]*', '?': '[^/]'}
    return re.compile(''.join(meaning.get(part, re.escape(part)) for part in parts) + '(?:/.*)?')


def sent(context):
    """What Dockerfile.dockerignore leaves of the context: names of files."""
    with open(os.path.join(context, 'docker/Dockerfile.dockerignore')) as file:
        rules = [line.strip() for line in file if line.strip() and not line.startswith('#')]
    rules = [(rule.startswith('!'), pattern(rule.lstrip('!'))) for rule in rules]
    for folder, _, names in os.walk(context):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), context)
            if ([True] + [wanted for wanted, rule in rules if rule.fullmatch(path)])[-1]:
                yield path


class Stage:
    def __init__(self, root, env):
        self.root = root
        self.env = env
        self.args = {}
        self.shell = ['/bin/sh', '-c']
        self.folder = '/'
        self.config = {'expose': [], 'volumes': []}
        self.history = []       # what it is made of, until files are copied into it


class Build:
    """`base(image, into)` makes the folder of an image; `work` is where all is laid."""

    def __init__(self, context, work, base, args):
        self.context, self.work, self.base = context, work, base
        self.args, self.stages = dict(args), {}

    def run(self, targets):
        """Build these stages and those they are made from; a dictionary of Stage."""
        with open(os.path.join(self.context, 'docker/Dockerfile')) as file:
            instructions = list(lines(file.read()))
        stage = None
        for word, rest in instructions:
            if word == 'ARG' and stage is None:
                name, value = rest.split('=', 1)
                self.args.setdefault(name, value)
            elif word == 'FROM':
                image, _, name = expand(rest, self.args).partition(' AS ')
                stage = self.begin(image.strip(), name.strip())
            else:
                if stage.history:
                    stage.history.append(f'{word} {rest}')
                getattr(self, 'do_' + word.lower())(stage, rest)
        return {name: self.stages[name] for name in targets}

    def begin(self, image, name):
        root = os.path.join(self.work, name)
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(root)
        env = {}
        if image != 'scratch':
            env = self.base(image, root)
        stage = self.stages[name] = Stage(root, env)
        stage.history = [image]
        return stage

    def do_arg(self, stage, rest):
        name, _, value = rest.partition('=')
        stage.args[name] = self.args.get(name, value)

    def do_shell(self, stage, rest):
        stage.shell = json.loads(rest)

    def do_run(self, stage, rest):
        """What depends on no file of the context is done once, and kept for a day."""
        if not stage.history:
            self.execute(stage, rest)
            return
        key = hashlib.sha256('\n'.join([time.strftime('%F'), *stage.history]).encode()).hexdigest()[:16]
        layer = os.path.join(self.work, f'layer-{key}.tar')
        if os.path.exists(layer):
            subprocess.run(['find', stage.root, '-xdev', '-mindepth', '1', '-delete'], check=True)
            subprocess.run(['tar', '-C', stage.root, '--numeric-owner', '-xf', layer], check=True)
        else:
            self.execute(stage, rest)
            subprocess.run(['tar', '-C', stage.root, '--numeric-owner', '-cf', layer + '.new', '.'], check=True)
            os.rename(layer + '.new', layer)

    def execute(self, stage, rest):
        env = {'PATH': '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': '/root',
               'DEBIAN_FRONTEND': 'noninteractive', **stage.env, **stage.args}
        for name in ('resolv.conf', 'hosts'):
            shutil.copy('/etc/' + name, os.path.join(stage.root, 'etc', name))
        script = 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && cd "$0" && exec chroot "$0" "$@"'
        inside = 'cd "$0" && exec "$@"'
        subprocess.run(['unshare', '--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-c', script, stage.root,
                        '/usr/bin/env', '-i', *[f'{k}={v}' for k, v in env.items()],
                        '/bin/sh', '-c', inside, stage.folder, *stage.shell, rest],
                       check=True, stdin=subprocess.DEVNULL)

    def do_copy(self, stage, rest):
        words = shlex.split(expand(rest, {**stage.args, **stage.env}))
        options = dict(w[2:].split('=', 1) for w in words if w.startswith('--'))
        *sources, to = [w for w in words if not w.startswith('--')]
        unknown = set(options) - {'from', 'chmod'}
        assert not unknown, f'COPY {unknown}'
        stage.history = []
        target = os.path.join(stage.root, os.path.join(stage.folder, to).lstrip('/'))
        for source in sources:
            if 'from' in options:
                copy(os.path.join(self.stages[options['from']].root, source.lstrip('/')), target)
            else:
                self.copy_context(source, target)
        if 'chmod' in options:
            os.chmod(target, int(options['chmod'], 8))

    def copy_context(self, source, target):
        found = False
        for path in sent(self.context):
            if source == '.' or path == source or path.startswith(source + '/'):
                found = True
                rest = path if source == '.' else os.path.relpath(path, source)
                to = target if rest == '.' else os.path.join(target, rest)
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy2(os.path.join(self.context, path), to)
        assert found, f'COPY {source}: nothing of the context'

    def do_env(self, stage, rest):
        for word in shlex.split(rest):
            name, value = word.split('=', 1)
            stage.env[name] = expand(value, {**stage.args, **stage.env})

    def do_workdir(self, stage, rest):
        stage.folder = os.path.join(stage.folder, rest)
        os.makedirs(os.path.join(stage.root, stage.folder.lstrip('/')), exist_ok=True)

    def do_volume(self, stage, rest):
        stage.config['volumes'].append(rest)

    def do_expose(self, stage, rest):
        stage.config['expose'] += [int(port) for port in rest.split()]

    def do_user(self, stage, rest):
        stage.config['user'] = rest

    def do_stopsignal(self, stage, rest):
        stage.config['stop'] = rest

    def do_healthcheck(self, stage, rest):
        stage.config['healthy'] = json.loads(rest[rest.index('CMD') + 3:])

    def do_entrypoint(self, stage, rest):
        stage.config['entrypoint'] = json.loads(rest)


def copy(source, target):
    """A file, or all that is in a folder; links of the target are followed."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
        with subprocess.Popen(['tar', '-C', source, '-cf', '-', '.'], stdout=subprocess.PIPE) as tar:
            subprocess.run(['tar', '-C', target, '--keep-directory-symlink', '-xf', '-'], check=True, stdin=tar.stdout)
        assert tar.returncode == 0, source
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(source, target)
