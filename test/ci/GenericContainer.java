package org.testcontainers.containers;

import java.util.List;
import org.testcontainers.containers.wait.strategy.WaitStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * In the place of testcontainers' class of this name, with the methods that docs/ci.md
 * calls: a container that is started is the server at SERVER_PORT.
 */
public class GenericContainer<SELF extends GenericContainer<SELF>> {
	private final String image;
	private List<String> command;
	private List<Integer> ports;
	private WaitStrategy strategy;

	public GenericContainer(DockerImageName image) {
		this.image = image.asCanonicalNameString();
	}

	@SuppressWarnings("unchecked")
	private SELF self() {
		return (SELF) this;
	}

	public SELF withCommand(String... words) {
		command = List.of(words);
		return self();
	}

	public SELF withExposedPorts(Integer... numbers) {
		ports = List.of(numbers);
		return self();
	}

	public SELF waitingFor(WaitStrategy strategy) {
		this.strategy = strategy;
		return self();
	}

	public void start() {
		if (!image.equals("dynamo:latest") || !command.equals(List.of("-c", "fsync=off")) || !ports.equals(List.of(8000)) || strategy == null)
			throw new IllegalStateException(image + " " + command + " " + ports + " " + strategy);
	}

	public String getHost() {
		return "localhost";
	}

	public Integer getMappedPort(int port) {
		return port == 8000 ? Integer.valueOf(System.getenv("SERVER_PORT")) : null;
	}

	public void stop() {
	}
}
